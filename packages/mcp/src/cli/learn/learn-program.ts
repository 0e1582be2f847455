/** The options of learn. What does the work is imported when it is called. */

import type { Command } from 'commander';
import type { LearnOptions } from './learn.ts';

const HELP = `
--from-ci takes lines of argus ci --artifact (*.jsonl), and reports in folders or files named by their commit, or beside a
file that names it (commit.txt, or JSON with "sha" or "commit"). The oldest comes first; what is known is passed over.

It can be done again. Exit codes: 0 done, 2 wrong usage, an error, or cancelled.`;

export function addLearn(root: Command): void {
  root
    .command('learn')
    .description('fill the memory from what is there already: old reports of CI')
    .requiredOption('--from-ci <dir>', 'a folder of old reports with their commits')
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (options: LearnOptions) => {
      const { learn } = await import('./learn.ts');
      await learn(options);
    });
}
