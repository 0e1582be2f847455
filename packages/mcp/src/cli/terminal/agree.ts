/** Asks the person at the terminal. Any answer but yes means no. */

import { createInterface } from 'node:readline/promises';
import { io } from '../../system/io.ts';

export async function agrees(question: string): Promise<boolean> {
  const terminal = createInterface({ input: io().stdin, output: io().stdout });
  try {
    return /^y(?:es)?$/iu.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
