// npm run generate: writes the types of the wire from ../docs/openapi.json (HTTP)
// and ../docs/asyncapi.yaml (WebSocket). With --check it only compares them, and
// fails if a file is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const read = (path) => readFileSync(join(root, path), 'utf8');
const http = JSON.parse(read('docs/openapi.json'));
const socket = parse(read('docs/asyncapi.yaml'));

// The client speaks only docent.v1. TypeScript cannot express conditions, so they
// are left out.
const v1 = Object.entries(socket.components.schemas).filter(([name]) => !/^(?:Typed|BAF)/.test(name));
const unconditional = ({ allOf, if: _if, then, else: _else, not, ...schema }) => schema;

const targets = [
  ['web/src/api/wire.ts', 'docs/openapi.json', http.components.schemas],
  ['clients/ts/src/wire.ts', 'docs/asyncapi.yaml', Object.fromEntries(v1.map(([name, schema]) => [name, unconditional(schema)]))],
];

/** types returns the TypeScript of JSON schemas. */
async function types(source, schemas) {
  const description = { openapi: '3.1.0', info: { title: 'docent', version: '1' }, paths: {}, components: { schemas } };
  const code = astToString(await openapiTS(description, { alphabetize: false, emptyObjectsUnknown: true, rootTypes: true, rootTypesNoSchemaPrefix: true, rootTypesKeepCasing: true }));
  const from = code.indexOf('export interface components');
  const to = code.indexOf('export type $defs');
  return `// Generated from ${source} by "npm run generate". Do not edit.\n${code.slice(from, to)}`;
}

const check = process.argv.includes('--check');
let stale = false;
for (const [file, source, schemas] of targets) {
  const code = await types(source, schemas);
  if (!check) writeFileSync(join(root, file), code);
  else if (read(file) !== code) {
    stale = true;
    console.error(`${relative(process.cwd(), join(root, file))} is out of date; run: npm run generate`);
  }
}
process.exit(stale ? 1 : 0);
