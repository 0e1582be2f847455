// Shows the progress of long work. On a terminal, it uses one line for everything that runs. Otherwise it prints a line
// at each start and end, and occasionally lists the steps that still run.
import { writeLog } from './exec.mjs';

const isTerminal = process.stdout.isTTY === true && !process.env.CI;
const hasColor = isTerminal && !process.env.NO_COLOR;
const paint = (code, text) => (hasColor ? `\x1b[${code}m${text}\x1b[0m` : text);
export const bold = (text) => paint(1, text);
export const dim = (text) => paint(2, text);
const green = (text) => paint(32, text);
const red = (text) => paint(31, text);

const REDRAW_MS = 100;
const REMINDER_MS = 20_000;
/** Number of lines of a failed command's output that are shown, which is enough to see the reason. */
const TAIL_LINES = 60;

/** A failure whose message tells the user everything, so that no stack trace is printed. */
export class StepFailed extends Error {}

/** Running steps by title, each with its start time in milliseconds and the newest line of its output. */
const runningSteps = new Map();
let timer;

export function formatSeconds(ms) {
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Runs `work(onLine)`, which resolves with a value, and shows its progress. */
export async function runStep(title, work, { note } = {}) {
  const start = Date.now();
  showStart(title, start, note);
  try {
    const value = await work((line) => {
      runningSteps.get(title).line = line;
    });
    showEnd(title, `${green('ok')} ${title} ${dim(formatSeconds(Date.now() - start))}`);
    return value;
  } catch (error) {
    showEnd(title, `${red('FAILED')} ${title} ${dim(formatSeconds(Date.now() - start))}`);
    throw error;
  }
}

/** Throws StepFailed with the end of the output if the command failed. */
export function requireSuccess(title, { code, output }) {
  if (code === 0) return output;
  const log = writeLog(title, output);
  const lines = output.trimEnd().split('\n');
  throw new StepFailed(
    [...lines.slice(-TAIL_LINES), `exit code ${code}; all ${lines.length} lines: ${log}`].join('\n'),
  );
}

/** Runs the main function of a script. For a `StepFailed`, prints only its message. Any failure gives exit code 1. */
export async function runMain(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    console.error(error instanceof StepFailed ? error.message : error);
    process.exitCode = 1;
  }
}

function showStart(title, start, note) {
  runningSteps.set(title, { start, line: '' });
  if (!isTerminal) console.log(`- ${title}${note ? ` (${note})` : ''}`);
  timer ??= setInterval(isTerminal ? drawProgress : printReminder, isTerminal ? REDRAW_MS : REMINDER_MS);
}

function showEnd(title, message) {
  runningSteps.delete(title);
  if (runningSteps.size === 0) {
    clearInterval(timer);
    timer = undefined;
  }
  if (isTerminal) process.stdout.write('\r\x1b[2K');
  console.log(message);
}

function drawProgress() {
  const width = (process.stdout.columns ?? 80) - 1;
  const texts = [...runningSteps].map(
    ([title, { start, line }]) => `${title} ${formatSeconds(Date.now() - start)} ${line}`,
  );
  const room = Math.floor(width / texts.length) - 3;
  process.stdout.write(`\r\x1b[2K${texts.map((text) => text.slice(0, room)).join(' | ')}`);
}

function printReminder() {
  for (const [title, { start, line }] of runningSteps) {
    console.log(`  ${title}: ${formatSeconds(Date.now() - start)} ${line.slice(0, 100)}`);
  }
}
