/**
 * inspect: prints the conclusions of Argus about one error text, or about a stream of JSON lines. It stores nothing. It
 * opens no project, so the project's own rules do not apply.
 */

import { createInspector } from 'argus-engine';
import { formatInspection } from '../../format/failures/inspection-text.ts';
import { log } from '../../log.ts';
import { io } from '../../system/io.ts';
import { batches, write } from '../terminal/lines.ts';

/** Large enough that a call of the engine costs little, small enough to answer while reading. */
const BATCH_BYTES = 1024 * 1024;

const WANTED = 'inspect reads an error text on stdin: npm test 2>&1 | argus inspect';

export async function inspect(options: { json?: boolean; jsonl?: boolean; case?: string }): Promise<void> {
  const inspector = await createInspector({});
  if (options.jsonl) {
    for await (const { bytes } of batches(io().stdin, { bytes: BATCH_BYTES })) {
      await write(inspector.inspectJsonlBytes(bytes));
    }
    return;
  }
  if (io().stdin.isTTY) log(WANTED);
  const text = await readAll(io().stdin);
  if (text.trim() === '' && !io().stdin.isTTY) log(`nothing came on stdin. ${WANTED}`);
  const inspection = inspector.inspect({ text, ...(options.case === undefined ? {} : { caseName: options.case }) });
  await write(`${options.json ? JSON.stringify(inspection) : formatInspection(inspection)}\n`);
}

async function readAll(input: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
