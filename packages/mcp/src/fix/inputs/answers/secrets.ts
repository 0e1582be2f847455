/**
 * Keeps secrets out of inputs files: what the engine would take out of any text, nothing here shows or stores either.
 * Which questions ask for one: kinds.ts.
 */

import { createInspector } from 'argus-engine';
import { UNKNOWN } from '../script/shell-words.ts';

export type Redact = (text: string) => string;

/** The text itself where it holds none, for the engine takes invisible characters out too. */
export function redactor(): Redact {
  const inspector = createInspector();
  return (text) => {
    const { redacted, redactions } = inspector.inspect({ text });
    return redactions.length > 0 ? redacted : text;
  };
}

/** With a gap where a secret was, as where only a run would know. */
export function hidden(text: string, redact: Redact): string {
  const redacted = redact(text);
  return redacted === text ? text : redacted.replaceAll(/\[REDACTED:[^\]]*\]/gu, UNKNOWN);
}
