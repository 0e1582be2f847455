/** An agent whose server all tests of a file share, because starting a server takes time. */

import { afterAll } from 'vitest';
import { connect, createProject } from './harness.ts';

export const agent = await connect('2026-07-28');
afterAll(() => agent.close());

/** Creates a project with these files and opens it in the server. */
export async function openProject(files: Record<string, string> = {}): Promise<string> {
  const root = createProject(files);
  await agent.data('argus_init', { projectPath: root });
  return root;
}
