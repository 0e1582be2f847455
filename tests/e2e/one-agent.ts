/** One server for all tests of a file. */

import { afterAll } from 'vitest';
import { connect, project } from './harness.ts';

export const agent = await connect('2026-07-28');
afterAll(() => agent.close());

/** A project with these files that the server knows. */
export async function opened(files: Record<string, string> = {}): Promise<string> {
  const root = project(files);
  await agent.data('argus_init', { projectPath: root });
  return root;
}
