/** A token in the texts that come in, and that none of it is in what leaves. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const PART = 'Fake1Fake2Fake3Fake4Fake5Fake6';
/** A token as issuers make them, and the same with a character in it that nobody sees. */
export const TOKEN = `ghp_${PART}012345`;
const HIDDEN = `ghp_Fake1\u200bFake2Fake3Fake4Fake5Fake6012345`;

export const planted = (words: string) => `${words} ${TOKEN} and ${HIDDEN}`;

export function expectNone(bytes: string, where: string): void {
  expect(bytes.replaceAll('\u200b', '').includes(PART), `${where}: ${bytes.slice(0, 2_000)}`).toBe(false);
}

/** What git keeps is the project's own. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = join(folder, entry.name);
    if (entry.name === '.git' || entry.isSymbolicLink()) return [];
    return entry.isDirectory() ? filesIn(file) : [file];
  });
}
