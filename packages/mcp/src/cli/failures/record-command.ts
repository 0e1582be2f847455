/** record: started by reporters and not by people, so the help does not list it. The work is in record.ts. */

import type { Command } from 'commander';

export function addRecord(root: Command): void {
  root
    .command('record <folder>', { hidden: true })
    .description(
      'wait for the end of a run that a reporter tells of in a folder, and take in the reports that lie there',
    )
    .action(async (folder: string) => {
      const { record } = await import('./record.ts');
      await record(folder);
    });
}
