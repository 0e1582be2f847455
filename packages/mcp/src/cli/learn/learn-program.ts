/** The options of learn. The work is imported when it is called. */

import { LIMITS } from 'argus-engine';
import { type Command, InvalidArgumentError } from 'commander';
import { ArgusError } from '../../errors.ts';
import { wholeNumber } from '../terminal/numbers.ts';
import type { LearnOptions } from './learn.ts';

const DEFAULT_COMMITS = 1_000;

const HELP = `
--from-git keeps names alone: of commits whose message says that they mend something, and that changed a test together with
a source, which tests, files and functions they touched. A failure of such a test, or in such a function, is then told of
the commit, as a hint. It stays on this machine.

--from-ci takes lines of argus ci --artifact (*.jsonl), and reports in folders or files named by their commit, or beside a
file that names it (commit.txt, or JSON with "sha" or "commit"). The oldest comes first; what is known is passed over.

Both can be done again. Exit codes: 0 done, 2 wrong usage, an error, or cancelled.`;

export function addLearn(root: Command): void {
  root
    .command('learn')
    .description('fill the memory from what is there already: commits that look like fixes, and old reports of CI')
    .option(
      '--from-git [n]',
      `the last n commits, at most ${LIMITS.MAX_LEARNED_COMMITS} (default: ${DEFAULT_COMMITS})`,
      commits,
    )
    .option('--from-ci <dir>', 'a folder of old reports with their commits')
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async ({ fromGit, ...options }: Omit<LearnOptions, 'fromGit'> & { fromGit?: number | true }) => {
      if (fromGit === undefined && options.fromCi === undefined)
        throw new ArgusError('INVALID_INPUT', 'Say what to learn from: --from-git, --from-ci DIR, or both.');
      const { learn } = await import('./learn.ts');
      await learn({
        ...options,
        ...(fromGit === undefined ? {} : { fromGit: fromGit === true ? DEFAULT_COMMITS : fromGit }),
      });
    });
}

function commits(text: string): number {
  const number = wholeNumber(text);
  if (number < 1 || number > LIMITS.MAX_LEARNED_COMMITS)
    throw new InvalidArgumentError(`1 to ${LIMITS.MAX_LEARNED_COMMITS} commits can be looked at.`);
  return number;
}
