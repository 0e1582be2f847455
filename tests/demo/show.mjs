// Formats the demo's output: headings, and a line for each call of a tool with a summary of its answer. Only the
// printed line is shortened; the agent gets the complete answer. `--answers` prints complete answers.

const hasColor = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (hasColor ? `\x1b[${code}m${text}\x1b[0m` : text);
export const bold = paint(1);
export const dim = paint(2);
const cyan = paint(36);

const LINE_CHARACTERS = 118;
const NAME_CHARACTERS = 17;
const isWhole = process.argv.includes('--answers');

export function formatHeading(text) {
  return `\n${bold(`== ${text} ${'='.repeat(Math.max(0, LINE_CHARACTERS - text.length - 4))}`)}`;
}

/** Formats a call with a summary of its answer. */
export function formatCall(tool, args, answer) {
  const about = [args.caseName?.split(' > ').at(-1), SUMMARIES[tool]?.(answer)].filter(Boolean).join(': ');
  const line = `${tool.padEnd(NAME_CHARACTERS)} ${oneLine(about)}`;
  const shown = line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS - 1)}…` : line;
  const whole = isWhole ? `\n${dim(JSON.stringify(answer, undefined, 1))}` : '';
  return `${cyan('->')} ${shown.trimEnd()}${whole}`;
}

/** Functions that summarize an answer, by tool. */
const SUMMARIES = {
  argus_run: ({ status, totals }) => `${status}, ${totals.passed} passed, ${totals.failed} failed`,
  argus_diagnose: ({ category, message, tried, suggestedFix, fixStatus }) =>
    `${category}, ${tried === undefined ? message : `${fixStatus}: ${suggestedFix}`}`,
  argus_report_fix: ({ patternId, resolutions }) => `helped, counted on ${patternId} (${resolutions})`,
  ranked_solutions: ({ recommended_solution: found, next_action }) => found?.steps ?? next_action.type,
  add_incident: ({ created, incident_id }) => `${incident_id} ${created ? 'is new' : 'was known already'}`,
  record_outcome: ({ solution_stats }) => `it worked ${solution_stats.worked} times`,
};

function oneLine(text) {
  return text.replaceAll(/\s+/gu, ' ');
}
