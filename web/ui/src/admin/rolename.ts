import { known, type Translate } from "../i18n/language";

/** roleName is a role in words; one that this page does not know is as the server says it. */
export function roleName(role: string, t: Translate): string {
  const key = `role.${role}`;
  return known(key) ? t(key) : role;
}
