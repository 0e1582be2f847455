/** record, which reporters start and people do not: no help lists it. What does the work: record.ts. */

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
