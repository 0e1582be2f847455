/**
 * Tells what Argus added to a command apart from what the command says: its refusal, its echo, and remarks on reports.
 */

import { quoted } from '../../system/words.ts';
import { REPORTERS } from '../reporters.ts';

/** How runners and package managers speak of an option that they do not know. */
const REFUSAL =
  /\b(?:unknown|unrecognized|unexpected|unsupported|invalid|not allowed|no such|no module named|cannot load such)\b/iu;

/** What the hook adds. */
const HOOK_OPTIONS = ['testResultsProcessor', 'reporter', 'argus_pytest', 'junit_logging', 'argus_reporter'];

/** What Vitest and pytest say when a report is written, and nextest of a key that it does not know yet. */
const REPORT_REMARK = /\breport written to\b|\bgenerated xml file\b|\bignoring unknown configuration keys?\b/u;

/** What was added for a report. */
export interface Additions {
  /** Arguments. */
  added: readonly string[];
  /** The folder that reports are written to. */
  dir: string;
}

/** The line by which a command refused what was added to it. */
export function refusalIn(text: string, { added, dir }: Additions): string | undefined {
  const names = added.map((argument) => argument.replace(/^-+/u, '').replace(/[= ].*$/su, ''));
  const options = [...names, ...HOOK_OPTIONS];
  const isAgainst = (line: string) => REFUSAL.test(line) && options.some((option) => line.includes(option));
  const namesOurs = (line: string) => line.includes(dir) || line.includes(REPORTERS);
  return text.split('\n').find((line) => namesOurs(line) || isAgainst(line));
}

/** Takes out the added arguments, where they are echoed, and lines that only say where the report is. */
export function withoutAdditions(text: string, { added, dir }: Additions): string {
  if (!text.includes(dir)) return text;
  const lines = text.split('\n').filter((line) => !(line.includes(dir) && REPORT_REMARK.test(line)));
  return lines.map((line) => (line.includes(dir) ? added.reduce(withoutArgument, line) : line)).join('\n');
}

/** Package managers quote what they echo each in their own way. */
function withoutArgument(line: string, argument: string): string {
  const forms = [quoted(argument), argument, JSON.stringify(argument), `'${argument}'`];
  for (const echoed of forms.map((form) => ` ${form}`)) {
    const from = line.indexOf(echoed);
    const end = from + echoed.length;
    if (from >= 0 && /^(?:\s|$)/u.test(line.slice(end))) return line.slice(0, from) + line.slice(end);
  }
  return line;
}
