// Cargo commands for the suites.
import { run } from './exec.mjs';
import { startPostgres } from './postgres.mjs';

/**
 * Selects all native test programs. Documentation tests run separately, because each example is linked as a separate
 * program.
 */
export const NATIVE_TEST_ARGS = ['--workspace', '--tests'];

export async function runCargoTests(args, onLine, extraEnv = {}) {
  const { code, output } = await run('cargo', ['test', ...args], { onLine, extraEnv });
  const results = [...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm)];
  const sum = (column) => results.reduce((total, match) => total + Number(match[column]), 0);
  const failed = code !== 0 && sum(2) === 0 ? 1 : sum(2);
  return { code, output, passed: sum(1), failed, skipped: 0 };
}

export const runClippy = (args, onLine) => run('cargo', ['clippy', ...args, '--', '-D', 'warnings'], { onLine });

/** Runs each engine call once on PostgreSQL, and all tests that depend on the database. */
export async function runPostgresTests(onLine) {
  const server = await startPostgres();
  try {
    return await runCargoTests([...NATIVE_TEST_ARGS, '--', '--include-ignored', 'databases::', 'postgres::'], onLine, {
      ARGUS_TEST_POSTGRES: server.url,
    });
  } finally {
    await server.stop();
  }
}
