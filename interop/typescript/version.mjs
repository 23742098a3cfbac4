import { readFileSync } from "node:fs";

/** The version of an installed package, read from its manifest. */
export function version(name) {
  const manifest = new URL(`./node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(manifest, "utf8")).version;
}
