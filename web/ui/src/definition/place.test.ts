import { expect, test } from "vitest";
import { placeAt } from "./place";

/** at finds the place of the bar. */
function at(text: string) {
  const position = text.indexOf("|");
  const { path, at, from, known } = placeAt(text.replace("|", ""), position);
  return `${path.join(".")} ${at} ${JSON.stringify(text.slice(from, position))}${known.length > 0 ? ` beside ${known.join(" ")}` : ""}`;
}

test.each([
  ["|", ' key ""'],
  ["work|", ' key "work"'],
  ["workflow: shop\njo|", ' key "jo" beside workflow'],
  ["jobs:\n  orders:\n    tri|", 'jobs.orders key "tri"'],
  ["jobs:\n  orders:\n    trigger: man|", 'jobs.orders.trigger value "man"'],
  ["jobs:\n  orders:\n    trigger: |", 'jobs.orders.trigger value ""'],
  ["jobs:\n  orders:\n\n    # a remark: here\n    trigger: manual\n    |\n    action: x\n", 'jobs.orders key "" beside trigger action'],
  ["jobs:\n  a:\n    dependsOn:\n      - job: x\n        ru|\n", 'jobs.a.dependsOn.[] key "ru" beside job'],
  ["jobs:\n  a:\n    dependsOn:\n    - job: x\n      ru|\n", 'jobs.a.dependsOn.[] key "ru" beside job'],
  ["jobs:\n  a:\n    dependsOn:\n    - sto|\n", 'jobs.a.dependsOn.[] key "sto"'],
  ["jobs:\n  a:\n    dependsOn: [orders, sto|", 'jobs.a.dependsOn.[] value "sto"'],
  ["jobs:\n  a:\n    dependsOn: [{job: x, ru|", 'jobs.a.dependsOn.[] key "ru" beside job'],
  ["jobs:\n  a:\n    recurrence: {frequency: d|", 'jobs.a.recurrence.frequency value "d"'],
  ["jobs:\n  a:\n    recurrence: {frequency: day, schedule: {ho|", 'jobs.a.recurrence.schedule key "ho"'],
  ["jobs:\n  a:\n    action: {type: none}\n  b:\n    |", 'jobs.b key ""'],
  ["jobs:\n  a:\n    action: {type: none} |", 'jobs.a.action value "{type: none} "'],
  ['jobs:\n  "a b":\n    env: {A: "{", B|', 'jobs.a b.env key "B" beside A'],
])("%j", (text, want) => {
  expect(at(text)).toBe(want);
});
