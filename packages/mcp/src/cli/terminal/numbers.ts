/** Parsers of numbers in options. They throw a message that names the expected value. */

import { InvalidArgumentError } from 'commander';

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/u.test(text)) throw new InvalidArgumentError('A whole number is needed.');
  return Number(text);
}

/** One week. Node's timers accept at most 24 days. */
const MAX_TIMEOUT_SECONDS = 7 * 24 * 3_600;

/** Parses a timeout in seconds. */
export function timeoutSeconds(text: string): number {
  const seconds = wholeNumber(text);
  if (seconds < 1 || seconds > MAX_TIMEOUT_SECONDS)
    throw new InvalidArgumentError(`1 to ${MAX_TIMEOUT_SECONDS} is needed.`);
  return seconds;
}

/** Parses a port. 0 means any free port. */
export function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError('A port is at most 65535.');
  return port;
}

/** Parses a number from 0 to 1. */
export function share(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !(number >= 0 && number <= 1)) throw new InvalidArgumentError('0 to 1 is needed.');
  return number;
}
