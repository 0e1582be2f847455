/** Defines the command `learn` and its options. The code of the command is imported when the command is called. */

import { LIMITS } from 'argus-engine';
import { type Command, InvalidArgumentError } from 'commander';
import { ArgusError } from '../../errors.ts';
import { createHelpText } from '../terminal/help.ts';
import { parseWholeNumber } from '../terminal/options.ts';
import type { LearnOptions } from './learn.ts';

const HELP = `
--from-git reads commits whose message describes a fix and that changed a test together with a source. It keeps only the
names of the changed tests, files and functions. A later failure of such a test, or in such a function, gets the commit
as a hint. These names stay on this machine.

--from-ci reads lines of argus ci --artifact (*.jsonl), and reports in folders or files named by their commit, or beside a
file that names it (commit.txt, or JSON with "sha" or "commit"). It starts with the oldest run and skips known runs.

You can repeat both. Exit codes: 0 done, 2 wrong usage, an error, or cancelled.`;

export const DEFAULT_COMMIT_COUNT = 1_000;

export function addLearnCommand(root: Command): void {
  root
    .command('learn')
    .description('fill the memory from existing data: commits that look like fixes, and old CI reports')
    .option(
      '--from-git [n]',
      `the last n commits, at most ${LIMITS.MAX_LEARNED_COMMITS} (default: ${DEFAULT_COMMIT_COUNT})`,
      parseCommitCount,
    )
    .option('--from-ci <dir>', 'folder of old reports that name their commits')
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .addHelpText('after', createHelpText(HELP))
    .action(async ({ fromGit, ...options }: Omit<LearnOptions, 'fromGit'> & { fromGit?: number | true }) => {
      if (fromGit === undefined && options.fromCi === undefined)
        throw new ArgusError('INVALID_INPUT', 'Add --from-git, --from-ci DIR, or both.');
      const { learn } = await import('./learn.ts');
      await learn({
        ...options,
        ...(fromGit === undefined ? {} : { fromGit: fromGit === true ? DEFAULT_COMMIT_COUNT : fromGit }),
      });
    });
}

function parseCommitCount(text: string): number {
  const number = parseWholeNumber(text);
  if (number < 1 || number > LIMITS.MAX_LEARNED_COMMITS)
    throw new InvalidArgumentError(`The number of commits must be 1 to ${LIMITS.MAX_LEARNED_COMMITS}.`);
  return number;
}
