/** A token to plant in inputs, and checks that no output contains it. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const PART = 'Fake1Fake2Fake3Fake4Fake5Fake6';
/** A token in the format of its issuer; `HIDDEN` is the same token with an invisible character. */
export const TOKEN = `ghp_${PART}012345`;
const HIDDEN = `ghp_Fake1\u200bFake2Fake3Fake4Fake5Fake6012345`;

export const planted = (words: string) => `${words} ${TOKEN} and ${HIDDEN}`;

export function expectNone(bytes: string, where: string): void {
  expect(bytes.replaceAll('\u200b', '').includes(PART), `${where}: ${bytes.slice(0, 2_000)}`).toBe(false);
}

/** Lists the files of a folder except `.git`, because the project itself stores files there. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = join(folder, entry.name);
    if (entry.name === '.git' || entry.isSymbolicLink()) return [];
    return entry.isDirectory() ? filesIn(file) : [file];
  });
}
