/** Recognizes what Argus added to a command in its output: a rejection, an echo, and messages about reports. */

import { quoted } from '../../system/words.ts';
import { REPORTERS } from '../reporters.ts';

/** Words of runners and package managers for an unknown option. */
const REFUSAL =
  /\b(?:unknown|unrecognized|unexpected|unsupported|invalid|not allowed|no such|no module named|cannot load such)\b/iu;

/** Options that the hook adds. */
const HOOK_OPTIONS = ['testResultsProcessor', 'reporter', 'argus_pytest', 'junit_logging', 'argus_reporter'];

/** Messages of Vitest and pytest about a written report, and of nextest about an unknown key. */
const REPORT_REMARK = /\breport written to\b|\bgenerated xml file\b|\bignoring unknown configuration keys?\b/u;

/** Additions to a command for a report. */
export interface Additions {
  /** The added arguments. */
  added: readonly string[];
  /** The folder of the reports. */
  dir: string;
}

/** The line in which a command rejected the additions. */
export function refusalIn(text: string, { added, dir }: Additions): string | undefined {
  const names = added.map((argument) => argument.replace(/^-+/u, '').replace(/[= ].*$/su, ''));
  const options = [...names, ...HOOK_OPTIONS];
  const isAgainst = (line: string) => REFUSAL.test(line) && options.some((option) => line.includes(option));
  const namesOurs = (line: string) => line.includes(dir) || line.includes(REPORTERS);
  return text.split('\n').find((line) => namesOurs(line) || isAgainst(line));
}

/** Removes echoed additions, and lines that only name the report. */
export function withoutAdditions(text: string, { added, dir }: Additions): string {
  if (!text.includes(dir)) return text;
  const lines = text.split('\n').filter((line) => !(line.includes(dir) && REPORT_REMARK.test(line)));
  return lines.map((line) => (line.includes(dir) ? added.reduce(withoutArgument, line) : line)).join('\n');
}

/** Each package manager quotes echoed arguments in its own way. */
function withoutArgument(line: string, argument: string): string {
  const forms = [quoted(argument), argument, JSON.stringify(argument), `'${argument}'`];
  for (const echoed of forms.map((form) => ` ${form}`)) {
    const from = line.indexOf(echoed);
    const end = from + echoed.length;
    if (from >= 0 && /^(?:\s|$)/u.test(line.slice(end))) return line.slice(0, from) + line.slice(end);
  }
  return line;
}
