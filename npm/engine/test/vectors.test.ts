import { createInspector } from 'argus-engine';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { rows } from './setup.ts';

const inspector = createInspector();

const Classify = z.looseObject({ text: z.string(), category: z.string(), rule: z.string().optional() });
const Normalize = z.looseObject({
  kind: z.string(),
  input: z.string(),
  normalized: z.string(),
  site: z.string().optional(),
});
const Kind = z.looseObject({ text: z.string(), kind: z.string() });
const Pair = z.looseObject({ same: z.boolean(), a: z.string(), b: z.string() });
const Redact = z.object({ kind: z.string(), text: z.string(), keep: z.boolean().optional() });

test('classify', () => {
  const wrong = [];
  for (const { category, rule, ...event } of [
    ...rows('classify.jsonl', Classify),
    ...rows('classify-kinds.jsonl', Classify),
  ]) {
    const answer = inspector.inspect(event);
    if (answer.category !== category || (rule ?? answer.rule) !== answer.rule)
      wrong.push([event.text, category, answer]);
  }
  expect(wrong).toEqual([]);
});

test('failure kinds', () => {
  const wrong = [];
  for (const { kind, ...event } of rows('failure-kinds.jsonl', Kind)) {
    const { failureKind, category } = inspector.inspect(event);
    if (failureKind !== kind) wrong.push([event.text, kind, failureKind, category]);
  }
  expect(wrong).toEqual([]);
});

test('normalize', () => {
  const wrong = [];
  for (const { input, normalized, site } of [
    ...rows('normalize.jsonl', Normalize),
    ...rows('normalize-texts.jsonl', Normalize),
  ]) {
    const answer = inspector.inspect({ text: input });
    // A text that is redacted differs before it is normalized.
    if (answer.redacted !== input) continue;
    // A message with too little information is signed together with its location.
    const wanted = site === undefined ? normalized : `${normalized}\nat ${site}`;
    if (answer.normalized !== wanted) wrong.push([input, wanted, answer.normalized]);
  }
  expect(wrong).toEqual([]);
});

test('families', () => {
  const family = (text: string) => inspector.inspect({ text }).familySignature;
  const wrong = rows('signatures.jsonl', Pair).filter(({ same, a, b }) => (family(a) === family(b)) !== same);
  expect(wrong).toEqual([]);
});

test('redact', () => {
  const wrong = [];
  for (const row of rows('redact.jsonl', Redact)) {
    // Secrets are in ⟦⟧ and broken up with ·, so that secret scanners do not report this file.
    const text = row.text.replace(/⟦([^⟧]*)⟧/g, (_, secret) => secret.replaceAll('·', ''));
    const wanted = withoutKinds(row.text.replace(/⟦[^⟧]*⟧/g, '[REDACTED]'));
    const redacted = withoutKinds(inspector.inspect({ text }).redacted);
    if (redacted !== wanted) wrong.push([row.kind, redacted, wanted]);
  }
  expect(wrong).toEqual([]);
});

function withoutKinds(text: string): string {
  return text.replace(/\[REDACTED:[^\]]*\]/g, '[REDACTED]');
}

test('returns the same answer in any order and from any inspector', () => {
  const texts = rows('normalize-texts.jsonl', Normalize).map(({ input }) => input);
  const answers = texts.map((text) => inspector.inspect({ text }));
  const other = createInspector();
  const backwards = texts.toReversed().map((text) => other.inspect({ text }));
  expect(backwards.reverse()).toEqual(answers);
});

test('evidence positions count UTF-16 units', () => {
  const { evidence, redacted } = inspector.inspect({ text: '😀 é Error: connect ECONNREFUSED 127.0.0.1:5432' });
  expect(evidence?.text).toContain('ECONNREFUSED');
  expect(redacted.slice(evidence?.start, evidence?.end)).toBe(evidence?.text);
});

test('answers any text: NUL, lone surrogates, a million colors, invalid UTF-8', () => {
  const texts = ['', '\0\0Error\0', 'Error: \ud83d and \ude00', '\u001b[31m'.repeat(1_000_000), 'x'.repeat(50_000_000)];
  for (const text of texts) expect(inspector.inspect({ text }).signature).toMatch(/^[0-9a-f]{64}$/);
  const bytes = Buffer.concat([Buffer.from('{"text":"Error: '), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]);
  const [line] = Buffer.from(inspector.inspectJsonlBytes(bytes)).toString().split('\n');
  expect(JSON.parse(line ?? '')).toMatchObject({ redacted: 'Error: \ufffd\ufffd' });
});
