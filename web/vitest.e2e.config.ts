import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { Flaky } from './tests/e2e/flaky.ts';

/** Commands that measure and take pictures are no tests: npm run perf, shots and states. */
const commands = Object.entries({ PERF: 'speed', VIEWS: 'views', STATES: 'states' }).filter(([variable]) => !process.env[variable]);

export default defineConfig({
  resolve: { alias: { 'docent-client': join(import.meta.dirname, '../clients/ts/src/index.ts') } },
  test: {
    environment: 'node',
    include: ['tests/e2e/**/*.test.ts'],
    exclude: commands.map(([, file]) => `tests/e2e/${file}.test.ts`),
    // The files of a worker share its modules, and so a browser and a mock server.
    pool: 'forks',
    isolate: false,
    maxWorkers: commands.length < 3 ? 1 : 2,
    globalSetup: ['tests/e2e/postgres.ts', 'tests/e2e/reader.ts', 'tests/e2e/servers.ts'],
    setupFiles: ['tests/e2e/leave.ts'],
    retry: 1,
    reporters: ['default', new Flaky()],
    // A busy machine takes long to reach a state.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
