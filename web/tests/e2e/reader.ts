// Compiles the reader of PDF before the first test. The workers of a server would compile it,
// too, but they have the lowest priority, and so need minutes on a busy machine. Those of
// docent ingest have the usual priority.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built, newDatabase } from './postgres';
import { pdf } from './samples';

/** Names the folder of the compiled code for the tests. */
const variable = 'DOCENT_E2E_READER';
const code = 'cache/pdfium';

/** setup is vitest's: it compiles the reader, and returns what removes it. */
export default function setup(): (() => void) | undefined {
  if (!process.env.DOCENT_BIN) return undefined; // tests that need it report the failure
  const folder = mkdtempSync(join(tmpdir(), 'docent-reader-'));
  const [file, data] = [join(folder, 'one.pdf'), join(folder, 'data')];
  writeFileSync(file, pdf('One page'));
  const database = newDatabase();
  const ran = spawnSync(built(), ['ingest', file, '--data', data], { env: { PATH: process.env.PATH ?? '', HOME: folder, DATABASE_URL: database.url }, encoding: 'utf8' });
  database.drop();
  if (ran.status !== 0) throw new Error(`docent ingest failed with ${ran.status}:\n${ran.stdout}${ran.stderr}`);
  process.env[variable] = join(data, code);
  return () => rmSync(folder, { recursive: true, force: true });
}

/** giveReader puts the compiled reader into the data of a program. */
export function giveReader(data: string): void {
  const compiled = process.env[variable];
  if (compiled) cpSync(compiled, join(data, code), { recursive: true });
}
