/** Reads what started the workflow, from the variables and the event file of GitHub's runner. */

import { ArgusError, messageOf } from '../../../errors.ts';
import type { Environment } from '../../../system/ci.ts';
import { readText } from '../../../system/files/read.ts';
import { loadZod } from '../../../system/zod.ts';

/** GitHub's events are much smaller. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

export interface GitHubEvent {
  /** For example `acme/shop`. */
  repository: string;
  pullRequest: number | null;
}

/** Returns null outside of a workflow. */
export async function gitHubEvent(env: Environment): Promise<GitHubEvent | null> {
  if (env.GITHUB_ACTIONS !== 'true') return null;
  if (env.GITHUB_EVENT_NAME === 'pull_request_target') {
    const text =
      'pull_request_target gives the code of a pull request the token of this repository. Run the tests on pull_request.';
    throw new ArgusError('INVALID_INPUT', text);
  }
  const { pull_request: change } = await eventOf(env.GITHUB_EVENT_PATH);
  const repository = env.GITHUB_REPOSITORY ?? '';
  if (change === undefined) return { repository, pullRequest: null };
  return { repository, pullRequest: change.number };
}

async function eventOf(file: string | undefined) {
  if (file === undefined || file === '') return { pull_request: undefined };
  const z = await loadZod();
  const schema = z.object({
    pull_request: z.object({ number: z.int().positive() }).optional(),
  });
  try {
    return schema.parse(JSON.parse(readText(file, { maxBytes: MAX_EVENT_BYTES })));
  } catch (thrown) {
    throw new ArgusError('INVALID_INPUT', `The event of GitHub in ${file} cannot be read: ${messageOf(thrown)}.`);
  }
}
