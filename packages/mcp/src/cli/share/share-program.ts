/** The command that shares a memory through the repository. The work is imported when it is called. */

import { type Command, Option } from 'commander';
import type { ShareOptions } from './share.ts';

const SHARE_HELP = `
Writes fixes that own runs have proved, incidents with their solutions and outcomes, and what people set, as one small
file each under .argus-shared/ at the root of the repository. A file that is there stays as it is. What other clones
push there is shown here as somebody else's, until own runs prove or refute it. Git history cannot forget: read the
files before you commit them.

Exit codes: 0 done, 1 something is not shared, or faults (--check), 2 wrong usage or an error.`;

export function addShare(root: Command): void {
  root
    .command('share')
    .description('share what is known through the repository, in files under .argus-shared/')
    .option('--as <name>', 'a pseudonym that is written into the files, from now on (default: nobody is named)')
    .option('--fix <id>', 'a fix that was found in a commit, too; may be repeated', collected, [])
    .option('--dry-run', 'show what would be written')
    .addOption(
      new Option('--check', 'check the files instead, for CI and before commits; a line for each fault').conflicts([
        'as',
        'dryRun',
      ]),
    )
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .addHelpText('after', SHARE_HELP)
    .action(async ({ check, ...options }: ShareOptions & { check?: boolean }) => {
      if (check) {
        const { shareCheck } = await import('./share-check.ts');
        await shareCheck(options);
      } else {
        const { share } = await import('./share.ts');
        await share(options);
      }
    });
}

function collected(id: string, ids: string[]): string[] {
  return [...ids, id];
}
