// Shows the progress of long work: one line a step, alive on a terminal, plain elsewhere.
import { keepLog } from './exec.mjs';

const tty = process.stdout.isTTY === true && !process.env.CI;
const colour = tty && !process.env.NO_COLOR;
const paint = (code, text) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);
export const bold = (text) => paint(1, text);
export const dim = (text) => paint(2, text);
const green = (text) => paint(32, text);
const red = (text) => paint(31, text);

/** How often a step that is not on a terminal says that it is still at work. */
const REMINDER_MS = 20_000;
/** Enough of a failed command's output to see why. */
const TAIL_LINES = 60;

/** A failure that has been explained in words; the caller only ends with its exit code. */
export class StepFailed extends Error {}

function seconds(ms) {
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Runs `work(onLine)`, which resolves to a value; shows title, time and the newest line of output. */
export async function step(title, work, { note } = {}) {
  const start = Date.now();
  let last = '';
  const live = showLive(title, start, () => last);
  if (!tty) console.log(`- ${title}${note ? ` (${note})` : ''}`);
  try {
    const value = await work((line) => (last = line));
    live.stop();
    console.log(`${green('ok')} ${title} ${dim(seconds(Date.now() - start))}`);
    return value;
  } catch (error) {
    live.stop();
    console.log(`${red('FAILED')} ${title} ${dim(seconds(Date.now() - start))}`);
    throw error;
  }
}

/** Throws StepFailed with the end of the output unless the command ended well. */
export function mustPass(title, { code, output }) {
  if (code === 0) return output;
  const log = keepLog(title, output);
  const lines = output.trimEnd().split('\n');
  throw new StepFailed(
    [...lines.slice(-TAIL_LINES), `exit code ${code}; all ${lines.length} lines: ${log}`].join('\n'),
  );
}

/** Runs a script's main function; explained failures end it with exit code 1 and no stack trace. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    console.error(error instanceof StepFailed ? error.message : error);
    process.exitCode = 1;
  }
}

function showLive(title, start, newest) {
  if (!tty) {
    const timer = setInterval(
      () => console.log(`  ${title}: ${seconds(Date.now() - start)} ${newest().slice(0, 100)}`),
      REMINDER_MS,
    );
    return { stop: () => clearInterval(timer) };
  }
  const draw = () => {
    const width = (process.stdout.columns ?? 80) - 1;
    const text = `.. ${title} ${seconds(Date.now() - start)}  ${newest()}`;
    process.stdout.write(`\r\x1b[2K${text.slice(0, width)}`);
  };
  draw();
  const timer = setInterval(draw, 100);
  return {
    stop: () => {
      clearInterval(timer);
      process.stdout.write('\r\x1b[2K');
    },
  };
}
