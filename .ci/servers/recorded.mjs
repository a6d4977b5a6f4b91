import { readFileSync } from "node:fs";

/** recorded reads a body of a vendor's, with its source, from the folder of the same name. */
export function recorded(name) {
  return JSON.parse(readFileSync(new URL(`./recorded/${name}.json`, import.meta.url)));
}
