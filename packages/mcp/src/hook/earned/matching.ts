/**
 * Selects known facts about an error: those with the same signature or the same sentence. If these contain too little
 * information, the case has to match too.
 */

import type { RunError } from 'argus-engine';
import type { Earned } from '../state.ts';

export function matching(entries: readonly Earned[], { family, sentence, caseName, isOfTest }: RunError): Earned[] {
  return entries.filter(({ families, cases }) => {
    const isSame = families.includes(family) || (sentence !== undefined && families.includes(sentence));
    return isSame && (cases === undefined ? !isOfTest : cases.includes(caseName));
  });
}

/**
 * Returns true if an error with these words may be in the output. The check is cheap, and rules an error out only if a
 * word is missing.
 */
export function mayHold(printed: string, words: readonly string[]): boolean {
  const text = printed.toLowerCase();
  return words.every((word) => text.includes(word));
}
