// Draws a reliability diagram: for verdicts with about the same stated probability, the share that was right.
import { appendFileSync } from 'node:fs';

const BIN_COUNT = 10;
const BAR_CHARS = 40;

/** Returns a command that runs `command` and also appends its output to a file. */
export function buildTeeCommand(file, command) {
  appendFileSync(file, '');
  return ['sh', '-c', 'file=$1; shift; "$@" | tee -a "$file"', 'sh', file, ...command];
}

/**
 * Returns the reliability diagram of verdicts as lines. `rows` are the runs of the histories with their right verdicts,
 * project by project. `answers` contains the answer for each run, and one additional line after the last run of each
 * project. Failures without an answer are left out.
 */
export function drawReliability(rows, answers) {
  const bins = Array.from({ length: BIN_COUNT }, () => ({ count: 0, right: 0, stated: 0 }));
  let at = 0;
  for (const [index, { project, truth }] of rows.entries()) {
    if (index > 0 && rows[index - 1].project !== project) at += 1;
    const { failures } = answers[at];
    at += 1;
    for (const { caseName, verdict } of failures) {
      const known = truth[caseName];
      if (known === undefined || ['new', 'unknown'].includes(verdict.kind)) continue;
      const bin = bins[Math.min(BIN_COUNT - 1, Math.floor(verdict.probability * BIN_COUNT))];
      bin.count += 1;
      bin.stated += verdict.probability;
      bin.right += Number(verdict.kind === known.verdict);
    }
  }
  return bins.flatMap(({ count, right, stated }, bin) => (count === 0 ? [] : [drawLine(bin, count, right, stated)]));
}

/**
 * Draws a line of the diagram. `o` marks the average stated probability, and the end of `#` marks the share that was
 * right. If both are equal, the bar ends at `o`.
 */
function drawLine(bin, count, right, stated) {
  const [said, was] = [stated / count, right / count];
  const bar = Array.from({ length: BAR_CHARS }, (_, at) => (at < Math.round(was * BAR_CHARS) ? '#' : ' '));
  bar[Math.min(BAR_CHARS - 1, Math.round(said * BAR_CHARS))] = 'o';
  const range = `${(bin / BIN_COUNT).toFixed(1)}-${((bin + 1) / BIN_COUNT).toFixed(1)}`;
  return `${range}  stated ${said.toFixed(3)}  right ${was.toFixed(3)}  ${String(count).padStart(5)}  |${bar.join('')}|`;
}
