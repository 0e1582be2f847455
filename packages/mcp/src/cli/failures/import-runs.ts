/**
 * import --runs: records a history of runs from elsewhere, with a JSON object on each line, and prints the result
 * for each failure. A known run is not changed, so the same history can be imported again.
 */

import type { HistoricRun } from 'argus-engine';
import { formatImportedRuns, type ImportedRuns } from '../../format/failures/evidence-text.ts';
import type { Session } from '../../sessions/session.ts';
import { loadZod } from '../../system/zod.ts';
import { adoptsInCi } from '../recorder.ts';
import { EXIT } from '../terminal/exit.ts';
import { batches, openLines, write } from '../terminal/lines.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress-bar.ts';
import { paramsOf, readLine, runSchema } from './run-line.ts';

/** Batches are small because a run has many cases and each run is recorded alone. */
const BATCH_LINES = 16;
const BATCH_BYTES = 4 * 1024 * 1024;

export async function importRuns(file: string, options: GlobalOptions & { foreign?: boolean }): Promise<void> {
  // JSON output has a line for each run as soon as it is recorded, and no summary at the end.
  const onRun = options.json ? (run: HistoricRun) => write(`${JSON.stringify(shown(run))}\n`) : undefined;
  await answer(
    { ...options, json: false },
    ({ session }) => importAll(session, file, options.foreign === true, onRun),
    (imported) => (options.json ? '' : formatImportedRuns(imported)),
    { exitCode: () => EXIT.done, adopts: adoptsInCi() },
  );
}

function shown({ runId, failures }: HistoricRun): Pick<HistoricRun, 'runId' | 'failures'> {
  return { runId, failures };
}

async function importAll(
  session: Session,
  file: string,
  isForeign: boolean,
  onRun?: (run: HistoricRun) => Promise<void> | void,
): Promise<ImportedRuns> {
  const z = await loadZod();
  const schema = runSchema(z);
  const total: ImportedRuns = { runs: 0, known: 0, failures: 0 };
  const { input, size } = openLines(file);
  const progress = await startProgress(size);
  try {
    let before = 0;
    for await (const lines of batches(input, { bytes: BATCH_BYTES, lines: BATCH_LINES })) {
      for (const [index, line] of new TextDecoder().decode(lines.bytes).split('\n').entries()) {
        if (line.trim() === '') continue;
        const run = await session.importRun(paramsOf(readLine(schema, line, before + index + 1), isForeign));
        total.runs += 1;
        total.known += Number(run.wasKnown);
        total.failures += run.failures.length;
        await onRun?.(run);
      }
      before += lines.count;
      progress.advance(lines.bytes.length);
    }
    return total;
  } finally {
    progress.stop();
  }
}
