/** Tests the analysis on the published wasm, with two of the vectors. The Rust tests use all vectors. */
import { createInspector } from 'argus-engine';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { readVectorRows } from './setup.ts';

const inspector = createInspector();

const ClassifyRow = z.looseObject({ text: z.string(), category: z.string(), rule: z.string().optional() });
const NormalizeRow = z.looseObject({
  kind: z.string(),
  input: z.string(),
  normalized: z.string(),
  site: z.string().optional(),
});

test('classifies the vector texts as expected', () => {
  const wrong = [];
  for (const { category, rule, ...event } of [
    ...readVectorRows('classify.jsonl', ClassifyRow),
    ...readVectorRows('classify-kinds.jsonl', ClassifyRow),
  ]) {
    const answer = inspector.inspect(event);
    if (answer.category !== category || (rule ?? answer.rule) !== answer.rule)
      wrong.push([event.text, category, answer]);
  }
  expect(wrong).toEqual([]);
});

test('normalizes the vector texts as expected', () => {
  const wrong = [];
  for (const { input, normalized, site } of [
    ...readVectorRows('normalize.jsonl', NormalizeRow),
    ...readVectorRows('normalize-texts.jsonl', NormalizeRow),
  ]) {
    const answer = inspector.inspect({ text: input });
    // A text with secrets is redacted before it is normalized, so it differs from the row.
    if (answer.redacted !== input) continue;
    // A message with too little information is signed together with its location.
    const wanted = site === undefined ? normalized : `${normalized}\nat ${site}`;
    if (answer.normalized !== wanted) wrong.push([input, wanted, answer.normalized]);
  }
  expect(wrong).toEqual([]);
});

test('returns the same answers in any order and from any inspector', () => {
  const texts = readVectorRows('normalize-texts.jsonl', NormalizeRow).map(({ input }) => input);
  const answers = texts.map((text) => inspector.inspect({ text }));
  const other = createInspector();
  const backwards = texts.toReversed().map((text) => other.inspect({ text }));
  expect(backwards.reverse()).toEqual(answers);
});

test('counts evidence positions in UTF-16 units', () => {
  const { evidence, redacted } = inspector.inspect({ text: '😀 é Error: connect ECONNREFUSED 127.0.0.1:5432' });
  expect(evidence?.text).toContain('ECONNREFUSED');
  expect(redacted.slice(evidence?.start, evidence?.end)).toBe(evidence?.text);
});

test('analyzes texts with NUL, lone surrogates, a million colors or invalid UTF-8', () => {
  const texts = ['', '\0\0Error\0', 'Error: \ud83d and \ude00', '\u001b[31m'.repeat(1_000_000), 'x'.repeat(50_000_000)];
  for (const text of texts) expect(inspector.inspect({ text }).signature).toMatch(/^[0-9a-f]{64}$/);
  const bytes = Buffer.concat([Buffer.from('{"text":"Error: '), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]);
  const [line] = Buffer.from(inspector.inspectJsonlBytes(bytes)).toString().split('\n');
  expect(JSON.parse(line ?? '')).toMatchObject({ redacted: 'Error: \ufffd\ufffd' });
});
