/** take-shared: started by a process of Argus and not by people, so the help does not list it. */

import type { Command } from 'commander';

export function addTakeShared(root: Command): void {
  root
    .command('take-shared', { hidden: true })
    .description('take in the files that a repository shares, as another process asks on stdin')
    .action(async () => {
      const { text } = await import('node:stream/consumers');
      const { takeShared } = await import('../../storage/shared-copy.ts');
      const { io } = await import('../../system/io.ts');
      await takeShared(JSON.parse(await text(io().stdin)));
    });
}
