// A PostgreSQL of the tests' own: started before the first of them, ended after
// the last. TEST_DATABASE_URL names one that runs already instead. Each program
// that is tested gets a database of its own.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Names the server for the tests. */
const variable = 'DOCENT_E2E_POSTGRES';

/** program finds initdb, postgres or psql: in PATH, else Debian's, newest first. */
function program(name: string): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((v) => join(debian, v, 'bin')), ...(process.env.PATH ?? '').split(':')];
  const found = folders.find((f) => f && existsSync(join(f, name)));
  if (!found) throw new Error(`${name} was not found in PATH or /usr/lib/postgresql: run \`apt-get install postgresql\`, or set TEST_DATABASE_URL`);
  return join(found, name);
}

/** account is who PostgreSQL runs as: it refuses to be root. */
function account(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const found = spawnSync('id', ['-u', name], { encoding: 'utf8' });
    const group = spawnSync('id', ['-g', name], { encoding: 'utf8' });
    if (found.status === 0 && group.status === 0) return { uid: Number(found.stdout), gid: Number(group.stdout) };
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody');
}

/** built is the program that is tested. */
export function built(): string {
  const bin = process.env.DOCENT_BIN;
  if (bin && existsSync(bin)) return bin;
  throw new Error(`DOCENT_BIN names the program that is tested; ${bin ? `${bin} is not there` : 'it is not set'}. Build it and say where it is, in the folder of the repository: make build && cd web && DOCENT_BIN=$PWD/../bin/docent npm run e2e`);
}

/** setup is vitest's: it starts the server, and returns what ends it. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[variable]) return undefined;
  if (process.env.TEST_DATABASE_URL) {
    process.env[variable] = process.env.TEST_DATABASE_URL;
    return undefined;
  }
  if (!process.env.DOCENT_BIN) return undefined; // tests that need it report the failure
  const as = account();
  const folder = mkdtempSync(join(tmpdir(), 'docent-pg-'));
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, 'data');
  execFileSync(program('initdb'), ['--no-sync', '--auth=trust', '--encoding=UTF8', '--locale=C', '--username=postgres', '--pgdata', data], { ...as, cwd: folder, stdio: 'pipe' });
  const log = join(folder, 'log');
  const out = openSync(log, 'a');
  const child: ChildProcess = spawn(
    program('postgres'),
    ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=200'],
    { ...as, cwd: folder, stdio: ['ignore', out, out] },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  process.env[variable] = `postgres://postgres@/postgres?host=${folder}`;
  for (let i = 0; !(query('SELECT 1')); i++) {
    if (i > 600 || child.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${readFileSync(log, 'utf8')}`);
    await new Promise((ok) => setTimeout(ok, 100));
  }
  return async () => {
    const gone = new Promise((ok) => child.once('exit', ok));
    child.kill('SIGINT');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
}

export default setup;

/** query runs SQL on the server and reports whether it could. */
function query(sql: string): boolean {
  return spawnSync(program('psql'), [process.env[variable]!, '-qc', sql], { stdio: 'pipe' }).status === 0;
}

/** newDatabase makes an empty database. */
export function newDatabase(): { url: string; drop(): void } {
  built();
  const server = process.env[variable];
  if (!server) throw new Error('the tests have no PostgreSQL: run them by `npm run e2e`');
  const name = `docent_e2e_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  if (!query(`CREATE DATABASE ${name}`)) throw new Error(`the database ${name} could not be made on ${server}`);
  const url = server.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`);
  return { url, drop: () => void query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** rows runs SQL in a database, as one of the tests' own, and returns what it prints. */
export function rows(database: string, sql: string): string {
  const ran = spawnSync(program('psql'), [database, '-qAtX', '-v', 'ON_ERROR_STOP=1'], { input: sql, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`psql failed:\n${ran.stderr}`);
  return ran.stdout.trim();
}
