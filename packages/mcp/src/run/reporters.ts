/**
 * What makes the runners of Node write a report, however deep below scripts, workspaces and task runners they are started:
 * the environment of the run loads a hook into every process of Node, which adds a reporter to those that it knows.
 * Does not: load the reporters into this process; they lie in `reporters/`, in the JavaScript every runner can load.
 */

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AdapterContext, Reporting } from './adapters.ts';

/** They lie beside the bundle, too. */
export const REPORTERS = fileURLToPath(new URL('./reporters', import.meta.url));

/** The runners that the hook and Playwright's own variable reach, with the format of their reports. */
const FORMATS = { vitest: 'jest', jest: 'jest', mocha: 'ctrf', playwright: 'ctrf' } as const;

/** What is added to the environment of any command, and where the reports will be. */
export function nodeReporting({ dir, root, env }: Pick<AdapterContext, 'dir' | 'root' | 'env'>): Reporting {
  const hook = path.join(REPORTERS, 'hook.cjs').replaceAll('\\', '/');
  const quoted = hook.includes(' ') ? `"${hook}"` : hook;
  const options = env.NODE_OPTIONS ?? '';
  return {
    env: {
      NODE_OPTIONS: options.includes(hook) ? options : `${options} --require=${quoted}`.trim(),
      PW_TEST_REPORTER: path.join(REPORTERS, 'playwright.cjs'),
      ARGUS_REPORT_DIR: dir,
      ARGUS_REPORT_ROOT: root,
    },
    reports: Object.entries(FORMATS).map(([runner, format]) => ({ kind: 'written', runner, format, dir })),
  };
}
