import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Commands that measure and take pictures are no tests: npm run perf, shots and states. */
const commands = Object.entries({ PERF: 'speed', VIEWS: 'views', STATES: 'states' }).filter(([variable]) => !process.env[variable]);

// One browser and one server at a time: the machines that run this have few
// cores, and a test that waits is worth more than two that race.
export default defineConfig({
  resolve: { alias: { 'docent-client': join(import.meta.dirname, '../clients/ts/src/index.ts') } },
  test: {
    environment: 'node',
    include: ['tests/e2e/**/*.test.ts'],
    exclude: commands.map(([, file]) => `tests/e2e/${file}.test.ts`),
    fileParallelism: false,
    globalSetup: ['tests/e2e/postgres.ts', 'tests/e2e/reader.ts'],
    // What is waited for comes early but on a machine with much to do.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
