/** Which of what was earned is about an error: signed or said the same, and where that says too little, of the same case. */

import type { RunError } from 'argus-engine';
import type { Earned } from '../state.ts';

export function matching(entries: readonly Earned[], { family, sentence, caseName, isOfTest }: RunError): Earned[] {
  return entries.filter(({ families, cases }) => {
    const isSame = families.includes(family) || (sentence !== undefined && families.includes(sentence));
    return isSame && (cases === undefined ? !isOfTest : cases.includes(caseName));
  });
}

/** Whether an error with these words may have been printed: a cheap look, after which only where a word is missing all is known. */
export function mayHold(printed: string, words: readonly string[]): boolean {
  const text = printed.toLowerCase();
  return words.every((word) => text.includes(word));
}
