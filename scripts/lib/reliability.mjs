// A reliability diagram: of the answers that were stated with about one probability, how many were right.
import { appendFileSync } from 'node:fs';

const BINS = 10;
const BAR_CHARS = 40;

/** A command that does the same as `command` and adds what it prints to a file. */
export function teed(file, command) {
  appendFileSync(file, '');
  return ['sh', '-c', 'file=$1; shift; "$@" | tee -a "$file"', 'sh', file, ...command];
}

/**
 * The diagram of verdicts as lines. `rows`: runs of a history with their truth, project by project; `answers`: what was said
 * of each, and after the last of each project one more line. What was not answered has no part in it.
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

/** `o` is what was stated on average and `#` what was right: the bar ends at `o` where both are one. */
function line(bin, count, right, stated) {
  const [said, was] = [stated / count, right / count];
  const bar = Array.from({ length: BAR_CHARS }, (_, at) => (at < Math.round(was * BAR_CHARS) ? '#' : ' '));
  bar[Math.min(BAR_CHARS - 1, Math.round(said * BAR_CHARS))] = 'o';
  const range = `${(bin / BINS).toFixed(1)}-${((bin + 1) / BINS).toFixed(1)}`;
  return `${range}  stated ${said.toFixed(3)}  right ${was.toFixed(3)}  ${String(count).padStart(5)}  |${bar.join('')}|`;
}
