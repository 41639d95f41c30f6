/** A Schema is the part of JSON Schema that the schema of workflow files uses. */
export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  anyOf?: Schema[];
  else?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: unknown[];
  type?: string | string[];
  description?: string;
}

/** A Choice is what can be written at a place. */
export interface Choice {
  text: string;
  about: string;
}

/** forms are the alternatives of a schema without references. Of a choice by if the form that people write is the last, else; the others are pasted. */
function forms(root: Schema, schema: Schema): Schema[] {
  const list: Schema[] = [];
  const add = (one: Schema, depth: number) => {
    if (depth > 8) return;
    if (one.$ref !== undefined) {
      const target = root.$defs?.[one.$ref.replace("#/$defs/", "")];
      if (target) add(target, depth + 1);
    }
    for (const other of one.anyOf ?? []) add(other, depth + 1);
    if (one.else) add(one.else, depth + 1);
    list.push(one);
  };
  add(schema, 0);
  return list;
}

/** at follows the path down from the root. */
function at(root: Schema, path: string[]): Schema[] {
  let here: Schema[] = [root];
  for (const name of path) {
    here = here
      .flatMap((schema) => forms(root, schema))
      .flatMap((form) => {
        if (name === "[]") return form.items ? [form.items] : [];
        const own = form.properties !== undefined && Object.hasOwn(form.properties, name) ? form.properties[name] : undefined;
        if (own) return [own];
        return typeof form.additionalProperties === "object" ? [form.additionalProperties] : [];
      });
  }
  return here.flatMap((schema) => forms(root, schema));
}

/** keysAt are the members of the object at a path, but those that are there. */
export function keysAt(root: Schema, path: string[], known: string[]): Choice[] {
  const found = new Map<string, Choice>();
  for (const form of at(root, path)) {
    for (const [text, schema] of Object.entries(form.properties ?? {})) {
      if (!known.includes(text) && !found.has(text)) found.set(text, { text, about: schema.description ?? "" });
    }
  }
  return [...found.values()].sort((a, b) => a.text.localeCompare(b.text));
}

/** valuesAt are the words that can stand at a path. */
export function valuesAt(root: Schema, path: string[]): Choice[] {
  const found = new Map<string, Choice>();
  for (const form of at(root, path)) {
    const words = form.enum ?? (form.type === "boolean" ? [true, false] : []);
    for (const word of words) found.set(String(word), { text: String(word), about: form.description ?? "" });
  }
  return [...found.values()];
}

/** takesJob reports whether the name of a job stands at a path. */
export function takesJob(path: string[], at: "key" | "value"): boolean {
  const place = path.slice(2).join(".");
  return path[0] === "jobs" && (place === "dependsOn.[]" || (at === "value" && (place === "dependsOn" || place === "dependsOn.[].job")));
}
