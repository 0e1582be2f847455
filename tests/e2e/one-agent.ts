/** A server that all tests of a file share, because starting a server takes time. */

import { afterAll } from 'vitest';
import { connect, project } from './harness.ts';

export const agent = await connect('2026-07-28');
afterAll(() => agent.close());

/** Makes a project with these files and opens it in the server. */
export async function opened(files: Record<string, string> = {}): Promise<string> {
  const root = project(files);
  await agent.data('argus_init', { projectPath: root });
  return root;
}
