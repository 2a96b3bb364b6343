// The folders of the page depend on each other in one direction.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { expect, test } from 'vitest';

const web = join(import.meta.dirname, '../..');
const source = join(web, 'src');

/** The folders of src in the order of the table in README.md. */
const folders = [...readFileSync(join(web, 'README.md'), 'utf8').matchAll(/^\| `src\/(\w+)` \|/gm)].map((row) => row[1]!);

const isCode = (path: string) => /\.(ts|svelte)$/.test(path);
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(isCode);

/** importsOf returns the files of src that a file imports, also those for types only or on demand. */
function importsOf(file: string): string[] {
  const code = readFileSync(join(source, file), 'utf8');
  return [...code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)'(\.[^']+)'/g)].flatMap(([, specifier]) => {
    const path = normalize(join(dirname(file), specifier!));
    const found = [path, `${path}.ts`, `${path}.svelte.ts`, join(path, 'index.ts')].find((name) => isCode(name) && existsSync(join(source, name)));
    return found ? [found] : [];
  });
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));
const folderOf = (file: string) => (file.includes(sep) ? file.split(sep)[0]! : '');

test('README.md lists every folder of src', () => {
  expect([...folders].sort()).toEqual(readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort());
});

test('a folder imports only folders above it in the table of README.md', () => {
  const upward = files.flatMap((file) => {
    const allowed = folders.slice(0, folders.indexOf(folderOf(file)) + 1);
    return folderOf(file) === '' ? [] : imports.get(file)!.filter((target) => !allowed.includes(folderOf(target))).map((target) => `${file} imports ${target}`);
  });
  expect(upward).toEqual([]);
});

// A component may import itself to draw a tree.
test('files do not import each other in a circle', () => {
  const cycles: string[] = [];
  const finished = new Set<string>();
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    else if (!finished.has(file)) for (const target of imports.get(file)!.filter((name) => name !== file)) visit(target, [...path, file]);
    finished.add(file);
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});
