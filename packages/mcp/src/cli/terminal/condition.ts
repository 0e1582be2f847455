/** The option `name=value`, which may be repeated. */

import { InvalidArgumentError } from 'commander';

/** Collects `name=value`. */
export function condition(text: string, earlier: Record<string, string>): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('A condition is name=value.');
  return { ...earlier, [text.slice(0, at)]: text.slice(at + 1) };
}
