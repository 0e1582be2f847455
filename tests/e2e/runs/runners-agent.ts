/** One server for all tests of a file, with the runners on its search path. */

import { afterAll } from 'vitest';
import { connect, type Data, project } from '../harness.ts';
import { PATH } from './installed.ts';

/** The server's own, to see what it leaves behind. */
export const temporary = project();

export const agent = await connect('2026-07-28', { PATH, TMPDIR: temporary });
afterAll(() => agent.close());

export async function opened(root: string): Promise<{ root: string; init: Data }> {
  return { root, init: await agent.data('argus_init', { projectPath: root }) };
}

/** Of each project in `runners/`. */
export const totals = { passed: 1, failed: 1, skipped: 1, flaky: 0 };
