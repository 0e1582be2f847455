/** The options of record, which reporters start and people do not: no help lists it. What does the work: record.ts. */

import { type Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '../terminal/numbers.ts';
import type { RecordOptions } from './record.ts';

export function addRecord(root: Command): void {
  root
    .command('record <folder>', { hidden: true })
    .description('take in the reports of a run that a reporter wrote into a folder, from where its command ran')
    .option('--begin', 'the run begins: note the work tree in the folder')
    .option('--runner <name>', 'which runner')
    .option('--command <line>', 'its command line')
    .option('--started-at <time>', 'as ISO 8601', moment)
    .option('--duration <ms>', 'in milliseconds', wholeNumber)
    .option('--exit-code <code>', 'how the runner ends', wholeNumber)
    .option('--timed-out', 'its time was over')
    .option('--filter <name>', 'only tests with this name were asked for')
    .action(async (folder: string, options: RecordOptions) => {
      const { record } = await import('./record.ts');
      await record(folder, options);
    });
}

function moment(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError('A time as ISO 8601 is needed.');
  return time;
}
