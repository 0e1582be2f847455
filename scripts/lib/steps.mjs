// Shows the progress of long work. On a terminal it uses one line for everything that runs; otherwise it prints a line
// at each start and end, and occasionally what still runs.
import { keepLog } from './exec.mjs';

const tty = process.stdout.isTTY === true && !process.env.CI;
const colour = tty && !process.env.NO_COLOR;
const paint = (code, text) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);
export const bold = (text) => paint(1, text);
export const dim = (text) => paint(2, text);
const green = (text) => paint(32, text);
const red = (text) => paint(31, text);

const REDRAW_MS = 100;
const REMINDER_MS = 20_000;
/** Enough of a failed command's output to see the reason. */
const TAIL_LINES = 60;

/** A failure that was already explained; the caller only exits with its code. */
export class StepFailed extends Error {}

/** Running steps: title -> start time in milliseconds and newest line of output. */
const running = new Map();
let timer;

export function seconds(ms) {
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Runs `work(onLine)`, which resolves to a value. */
export async function step(title, work, { note } = {}) {
  const start = Date.now();
  begin(title, start, note);
  try {
    const value = await work((line) => {
      running.get(title).line = line;
    });
    end(title, `${green('ok')} ${title} ${dim(seconds(Date.now() - start))}`);
    return value;
  } catch (error) {
    end(title, `${red('FAILED')} ${title} ${dim(seconds(Date.now() - start))}`);
    throw error;
  }
}

/** Throws StepFailed with the end of the output if the command failed. */
export function mustPass(title, { code, output }) {
  if (code === 0) return output;
  const log = keepLog(title, output);
  const lines = output.trimEnd().split('\n');
  throw new StepFailed(
    [...lines.slice(-TAIL_LINES), `exit code ${code}; all ${lines.length} lines: ${log}`].join('\n'),
  );
}

/** Runs the main function of a script. Explained failures end it with exit code 1 and without a stack trace. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    console.error(error instanceof StepFailed ? error.message : error);
    process.exitCode = 1;
  }
}

function begin(title, start, note) {
  running.set(title, { start, line: '' });
  if (!tty) console.log(`- ${title}${note ? ` (${note})` : ''}`);
  timer ??= setInterval(tty ? draw : remind, tty ? REDRAW_MS : REMINDER_MS);
}

function end(title, message) {
  running.delete(title);
  if (running.size === 0) {
    clearInterval(timer);
    timer = undefined;
  }
  if (tty) process.stdout.write('\r\x1b[2K');
  console.log(message);
}

function draw() {
  const width = (process.stdout.columns ?? 80) - 1;
  const texts = [...running].map(([title, { start, line }]) => `${title} ${seconds(Date.now() - start)} ${line}`);
  const room = Math.floor(width / texts.length) - 3;
  process.stdout.write(`\r\x1b[2K${texts.map((text) => text.slice(0, room)).join(' | ')}`);
}

function remind() {
  for (const [title, { start, line }] of running) {
    console.log(`  ${title}: ${seconds(Date.now() - start)} ${line.slice(0, 100)}`);
  }
}
