/** The command `receipt`: tells whether the tests passed on exactly the current files. */

import { readHookState } from '../hook/hook-location.ts';
import { type Receipt, readReceipt } from '../hook/receipt.ts';
import { readGitFacts } from '../run/git-state.ts';
import { EXIT_CODES } from './terminal/exit.ts';
import { type GlobalOptions, runProjectCommand } from './terminal/output.ts';

export interface ReceiptOptions extends GlobalOptions {
  check?: boolean;
}

export async function printReceipt({ check = false, ...options }: ReceiptOptions): Promise<void> {
  await runProjectCommand(
    options,
    async ({ session }): Promise<Receipt> => {
      const git = await readGitFacts(session.root);
      if (git === null)
        return { state: 'unknown', line: 'not a git repository', runId: null, changed: [], weakened: [], warnings: [] };
      return readReceipt(session, git, await readHookState(session.project));
    },
    ({ line, warnings }) => [line, ...warnings].join('\n'),
    { exitCode: ({ state }) => (check && state !== 'green' ? EXIT_CODES.failures : EXIT_CODES.done) },
  );
}
