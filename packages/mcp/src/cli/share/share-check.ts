/** share --check: lists problems of the files that the repository shares. Needs no memory. */

import { formatShareChecked, type ShareChecked } from '../../format/memory/share-text.ts';
import { readShared } from '../../owner/shared-files.ts';
import { EXIT } from '../terminal/exit.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';

export async function shareCheck(options: GlobalOptions): Promise<void> {
  await answer(
    options,
    async ({ session }): Promise<ShareChecked> => {
      const { files, faults } = readShared(session.project.top);
      const engine = await session.rulesAlone();
      const { faults: found, doubts } = await engine.shareCheck({ files });
      return { files: files.length, faults: [...faults, ...found].sort((a, b) => (a.path < b.path ? -1 : 1)), doubts };
    },
    formatShareChecked,
    { exitCode: ({ faults }) => (faults.length > 0 ? EXIT.failures : EXIT.done) },
  );
}
