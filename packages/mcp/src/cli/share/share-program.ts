/**
 * Defines the command `share`, which shares a memory through the repository. The code of the command is imported when
 * the command is called.
 */

import { type Command, Option } from 'commander';
import { createHelpText } from '../terminal/help.ts';
import type { ShareOptions } from './share.ts';

const SHARE_HELP = `
Writes fixes that your runs have proved, incidents with their solutions and outcomes, and edits by people, each as a small
file under .argus-shared/ at the root of the repository. Does not change existing files. Files from other clones are shown
as foreign until your runs prove or refute them. You cannot delete a file from git history, so read the
files before you commit them.

Exit codes: 0 done, 1 something is not shared, or faults (--check), 2 wrong usage or an error.`;

export function addShareCommand(root: Command): void {
  root
    .command('share')
    .description('share fixes and incidents through the repository, in files under .argus-shared/')
    .option('--as <name>', 'sign shared files with this name from now on (default: anonymous)')
    .option('--fix <id>', 'also share this fix that was found in a commit; may be repeated', collectId)
    .option('--dry-run', 'show what would be written')
    .addOption(
      new Option('--check', 'only check the files, for CI and before commits; prints a line per fault').conflicts([
        'as',
        'dryRun',
      ]),
    )
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .addHelpText('after', createHelpText(SHARE_HELP))
    .action(async ({ check, ...options }: ShareOptions & { check?: boolean }) => {
      if (check) {
        const { checkSharedFiles } = await import('./share.ts');
        await checkSharedFiles(options);
      } else {
        const { share } = await import('./share.ts');
        await share(options);
      }
    });
}

function collectId(id: string, ids: string[] = []): string[] {
  return [...ids, id];
}
