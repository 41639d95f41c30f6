/** whole is a time of the API without the part of its second that no person asks for. */
export function whole(at: string | undefined): string | undefined {
  return at?.replace(/\.\d+/, "");
}
