/** A token to insert into inputs, and checks that no output contains it. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const TOKEN_PART = 'Fake1Fake2Fake3Fake4Fake5Fake6';
/** A token in the format of its issuer. `HIDDEN_TOKEN` is the same token with an invisible character. */
export const TOKEN = `ghp_${TOKEN_PART}012345`;
const HIDDEN_TOKEN = `ghp_Fake1\u200bFake2Fake3Fake4Fake5Fake6012345`;

export const withSecrets = (words: string) => `${words} ${TOKEN} and ${HIDDEN_TOKEN}`;

export function expectNoSecret(bytes: string, where: string): void {
  expect(bytes.replaceAll('\u200b', '').includes(TOKEN_PART), `${where}: ${bytes.slice(0, 2_000)}`).toBe(false);
}

/** Lists the files of a folder except `.git`, because the project itself stores files there. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = join(folder, entry.name);
    if (entry.name === '.git' || entry.isSymbolicLink()) return [];
    return entry.isDirectory() ? listFiles(file) : [file];
  });
}
