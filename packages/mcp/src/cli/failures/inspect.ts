/**
 * The command `inspect`: classifies an error text, or a stream of JSON lines. It stores nothing and opens no project,
 * so the project's own rules do not apply.
 */

import { createInspector } from 'argus-engine';
import { formatInspection } from '../../format/failures/diagnosis-text.ts';
import { log } from '../../log.ts';
import { io } from '../../system/io.ts';
import { readBatches, writeToStdout } from '../terminal/lines.ts';

/** Large enough that the cost of calling the engine is small, and small enough that results appear while reading. */
const BATCH_BYTES = 1024 * 1024;

const USAGE_HINT = 'inspect reads an error text on stdin: npm test 2>&1 | argus inspect';

export async function inspect(options: { json?: boolean; jsonl?: boolean; case?: string }): Promise<void> {
  const inspector = await createInspector({});
  if (options.jsonl) {
    for await (const { bytes } of readBatches(io().stdin, { bytes: BATCH_BYTES })) {
      await writeToStdout(inspector.inspectJsonlBytes(bytes));
    }
    return;
  }
  if (io().stdin.isTTY) log(USAGE_HINT);
  const text = await readAll(io().stdin);
  if (text.trim() === '' && !io().stdin.isTTY) log(`stdin was empty. ${USAGE_HINT}`);
  const inspection = inspector.inspect({ text, ...(options.case === undefined ? {} : { caseName: options.case }) });
  await writeToStdout(`${options.json ? JSON.stringify(inspection) : formatInspection(inspection)}\n`);
}

async function readAll(input: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
