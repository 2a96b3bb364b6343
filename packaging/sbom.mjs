// Prints one bill of materials for the program and its page.
// Usage: node sbom.mjs GO.json PAGE.json VERSION
import { readFileSync } from "node:fs";

const [goFile, pageFile, version] = process.argv.slice(2);
const bom = JSON.parse(readFileSync(goFile, "utf8"));
const page = JSON.parse(readFileSync(pageFile, "utf8"));

const { component } = bom.metadata;
const root = component["bom-ref"];
const pageRoot = page.metadata.component["bom-ref"];
component.version = version;
component.purl = `pkg:generic/docent@${version}`;
bom.metadata.timestamp = new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString();
bom.components.push(page.metadata.component, ...page.components);
bom.dependencies.push(...page.dependencies);
bom.dependencies.find((d) => d.ref === root).dependsOn.push(pageRoot);

const refs = [root, ...bom.components.map((c) => c["bom-ref"])];
const unique = new Set(refs);
if (unique.size !== refs.length) throw new Error("two components have the same bom-ref");
for (const { ref, dependsOn = [] } of bom.dependencies) {
  for (const r of [ref, ...dependsOn]) if (!unique.has(r)) throw new Error(`unknown component ${r}`);
}
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
