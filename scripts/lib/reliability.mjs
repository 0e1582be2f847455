// Draws a reliability diagram: for answers with about the same stated probability, the share that was right.
import { appendFileSync } from 'node:fs';

const BINS = 10;
const BAR_CHARS = 40;

/** A command that runs `command` and also appends its output to a file. */
export function teed(file, command) {
  appendFileSync(file, '');
  return ['sh', '-c', 'file=$1; shift; "$@" | tee -a "$file"', 'sh', file, ...command];
}

/**
 * Returns the diagram of verdicts as lines. `rows` are the runs of the histories with their truth, project by project.
 * `answers` has the answer for each run, and one additional line after the last run of each project. Failures without
 * an answer are left out.
 */
export function reliability(rows, answers) {
  const bins = Array.from({ length: BINS }, () => ({ count: 0, right: 0, stated: 0 }));
  let at = 0;
  for (const [index, { project, truth }] of rows.entries()) {
    if (index > 0 && rows[index - 1].project !== project) at += 1;
    const { failures } = answers[at];
    at += 1;
    for (const { caseName, verdict } of failures) {
      const known = truth[caseName];
      if (known === undefined || ['new', 'unknown'].includes(verdict.kind)) continue;
      const bin = bins[Math.min(BINS - 1, Math.floor(verdict.probability * BINS))];
      bin.count += 1;
      bin.stated += verdict.probability;
      bin.right += Number(verdict.kind === known.verdict);
    }
  }
  return bins.flatMap(({ count, right, stated }, bin) => (count === 0 ? [] : [line(bin, count, right, stated)]));
}

/**
 * `o` marks the average stated probability, and `#` the share that was right. The bar ends at `o` if both are equal.
 */
function line(bin, count, right, stated) {
  const [said, was] = [stated / count, right / count];
  const bar = Array.from({ length: BAR_CHARS }, (_, at) => (at < Math.round(was * BAR_CHARS) ? '#' : ' '));
  bar[Math.min(BAR_CHARS - 1, Math.round(said * BAR_CHARS))] = 'o';
  const range = `${(bin / BINS).toFixed(1)}-${((bin + 1) / BINS).toFixed(1)}`;
  return `${range}  stated ${said.toFixed(3)}  right ${was.toFixed(3)}  ${String(count).padStart(5)}  |${bar.join('')}|`;
}
