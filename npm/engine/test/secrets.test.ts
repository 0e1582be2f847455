/** A secret in every text of every call: none is in an answer, an error, a log line or the file. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CallName, type Engine, openEngine } from '../src/node.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

const SCHEMAS: { params: Record<string, Schema>; calls: Record<CallName, { params: Schema }> } = JSON.parse(
  readFileSync(new URL('../src/generated/calls.schema.json', import.meta.url), 'utf8'),
);

/** All but the one whose only text is a path of the host's. */
const CALLS = (Object.entries(SCHEMAS.calls) as [CallName, { params: Schema }][]).filter(
  ([call]) => call !== 'snapshot',
);

const PART = 'Fake1Fake2Fake3Fake4Fake5Fake6';
/** A token as issuers make them, and the same with a character in it that nobody sees. */
const PLANTED = `x ghp_${PART}012345 and ghp_Fake1\u200bFake2Fake3Fake4Fake5Fake6012345`;

function expectNone(text: string, where: string): void {
  expect(text.replaceAll('\u200b', '').includes(PART), `${where}: ${text.slice(0, 2_000)}`).toBe(false);
}

/** A schema without its references and without null. */
function resolved(schema: Schema): Schema {
  if (schema.$ref !== undefined) return resolved(SCHEMAS.params[schema.$ref.slice('#/params/'.length)] ?? {});
  const choices = (schema.anyOf ?? schema.oneOf)?.map(resolved).filter(({ type }) => type !== 'null');
  return choices?.[0] ?? schema;
}

/** Says nothing of its fields, or of itself: any JSON. */
function isFree({ type, properties, items, const: only, additionalProperties }: Schema): boolean {
  if (additionalProperties === true) return true;
  return type === undefined && properties === undefined && items === undefined && only === undefined;
}

const isOf = (type: string, schema: Schema) => [schema.type].flat().includes(type);

/** The way to each text: names of fields, and 0 for what is in a list. */
function textsOf(given: Schema): (string | 0)[][] {
  const schema = resolved(given);
  if (isFree(schema)) return [[]];
  if (isOf('string', schema)) return schema.const === undefined ? [[]] : [];
  if (isOf('array', schema)) return textsOf(schema.items ?? {}).map((rest) => [0, ...rest]);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    textsOf(field).map((rest) => [name, ...rest]),
  );
}

/** What a call is made with: what it must have, and the secret at the end of the way. */
function paramsOf(given: Schema, way: readonly (string | 0)[] | undefined, known: (field: string) => string): unknown {
  const schema = resolved(given);
  const [head, ...rest] = way ?? [];
  if (isFree(schema)) return way === undefined ? {} : { os: PLANTED, [PLANTED]: PLANTED };
  if (schema.const !== undefined) return schema.const;
  if (isOf('array', schema)) return way === undefined ? [] : [paramsOf(schema.items ?? {}, rest, known)];
  if (isOf('string', schema)) return PLANTED;
  if (isOf('boolean', schema)) return true;
  if (isOf('integer', schema) || isOf('number', schema)) return 1;
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]): [string, unknown][] => {
    if (name === head) return [[name, paramsOf(field, rest, known)]];
    if (!schema.required?.includes(name) && known(name) === '') return [];
    return [
      [name, isOf('string', resolved(field)) && !isEnum(field) ? known(name) : paramsOf(field, undefined, known)],
    ];
  });
  return Object.fromEntries(fields);
}

const isEnum = (field: Schema) => resolved(field).const !== undefined;

interface Opened {
  engine: Engine;
  logged: string[];
  folder: string;
}

async function opened(where: 'memory' | 'file'): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'argus-secrets-'));
  const databasePath = where === 'memory' ? ':memory:' : join(folder, 'argus.db');
  const logged: string[] = [];
  const engine = await openEngine({ databasePath, projectRoot: folder, log: (line) => logged.push(line) });
  onTestFinished(() => engine.close());
  return { engine, logged, folder };
}

const FAILED = { timedOut: false, reports: [], containers: [], notes: [] };

/** Ids of things that are there, by the fields that take them. */
async function idsIn(engine: Engine): Promise<(call: CallName, field: string) => string> {
  const run = await engine.recordRun({ ...FAILED, command: 'x', exitCode: 1, outputTail: 'OrderError: gone' });
  const failure = { runId: run.runId, caseName: run.failures[0]?.caseName ?? '' };
  await engine.diagnose(failure);
  const fix = await engine.reportFix({ ...failure, fixDescription: 'made it', success: true });
  const added = await engine.addIncident({ title: 'The belt slips', steps: 'Tighten it', env: {}, worked: true });
  if (!('solution_id' in added)) throw new Error('the memory was empty');
  const { incident_id, solution_id } = added;
  const patternId = fix.patternId;
  const fields: Record<string, string> = { ...failure, base: run.runId, head: run.runId, incident_id, solution_id };
  Object.assign(fields, {
    patternId,
    from: patternId,
    into: patternId,
    fixId: fix.fixRecordId,
    title: 'x',
    steps: 'x',
  });
  const ids: Partial<Record<CallName, string>> = { viewRun: run.runId, incident: incident_id };
  return (call, field) => (field === 'id' ? (ids[call] ?? patternId) : (fields[field] ?? ''));
}

/** What a call answers, or how it is refused, as text. */
async function said(engine: Engine, call: CallName, params: unknown): Promise<string> {
  const answer: unknown = await engine.call(call, params as never).catch((error: unknown) => {
    expect(error, call).toHaveProperty('code', expect.not.stringMatching('INTERNAL_ERROR'));
    return String(error);
  });
  return JSON.stringify(answer) ?? '';
}

describe.each(['memory', 'file'] as const)('an engine on a %s', (where) => {
  test('says and keeps no secret of any call', async () => {
    const { engine, logged, folder } = await opened(where);
    const known = await idsIn(engine);
    let texts = 0;
    for (const [call, { params }] of CALLS) {
      for (const way of textsOf(params)) {
        texts += 1;
        const made = paramsOf(params, way, (field) => known(call, field));
        expectNone(await said(engine, call, made), `${call}: ${way.join('.')}`);
      }
    }
    expect(texts).toBeGreaterThan(80);
    const incident = {
      title: PLANTED,
      summary: PLANTED,
      solutions: [{ steps: PLANTED, outcomes: [{ notes: PLANTED }] }],
    };
    expectNone(await said(engine, 'memoryImport', { lines: `${JSON.stringify(incident)}\n` }), 'a line of an import');
    for (const [call, { params }] of CALLS) {
      const made = paramsOf(params, undefined, (field) => known(call, field));
      expectNone(await said(engine, call, made), `${call}, afterwards`);
    }
    expectNone(logged.join('\n'), 'the log');
    await engine.close();
    for (const name of readdirSync(folder)) expectNone(readFileSync(join(folder, name), 'latin1'), name);
  });
});

/** What a reader of JSON tells cases by; everything else in a report is free text. */
const STRUCTURE = new Set(['Action', 'Time', 'expectedStatus', 'outcome', 'reportFormat', 'status', 'startTime']);

function plantedIn(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return STRUCTURE.has(key) ? value : `${value} ${PLANTED}`;
  if (Array.isArray(value)) return value.map((item) => plantedIn(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plantedIn(item, name)]));
}

const inJson = (text: string) => JSON.stringify(plantedIn(JSON.parse(text)));
const inXml = (text: string) =>
  text
    .replaceAll(/(?<= (?:name|classname|file|message|type|hostname)="[^"]*)"/gu, ` ${PLANTED}"`)
    .replaceAll(/(?<=[^<>?\s])(?=<\/(?:failure|error|system-out|system-err)>|\]\]>)/gu, ` ${PLANTED}`);
const inTap = (text: string) => text.replaceAll(/(?<=^\s*(?:not )?ok \d+ .*|^\s+\w+: .*)$/gmu, ` ${PLANTED}`);
const inLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => (line.startsWith('{') ? inJson(line) : `${line} ${PLANTED}`))
    .join('\n');

test.each([
  ['junit', 'pytest-xunit1.xml', inXml],
  ['jest', 'jest.json', inJson],
  ['ctrf', 'playwright-ctrf.json', inJson],
  ['playwright', 'playwright.json', inJson],
  ['tap', 'node-test.tap', inTap],
  ['go-test', 'go-test.json', inLines],
] as const)('a report of the format %s leaves no secret', async (format, name, planted) => {
  const { engine, logged, folder } = await opened('file');
  const text = readFileSync(new URL(`../../../tests/fixtures/reports/${name}`, import.meta.url), 'utf8');
  const path = join(mkdtempSync(join(tmpdir(), 'argus-report-')), name);
  writeFileSync(path, planted(text));
  const run = await engine.recordRun({ ...FAILED, command: 'x', exitCode: 1, reports: [{ path, format }] });
  expect(run.totals.failed, name).toBeGreaterThan(0);
  const { cases } = await engine.runDetail({ runId: run.runId, limit: 100 });
  expect(JSON.stringify(cases)).toContain('REDACTED');
  const answers: unknown[] = [run, cases];
  for (const { caseName } of run.failures) {
    answers.push(await engine.viewCase({ runId: run.runId, caseName }));
    answers.push(await engine.diagnose({ runId: run.runId, caseName }));
  }
  expectNone(JSON.stringify(answers), name);
  expectNone(logged.join('\n'), 'the log');
  await engine.close();
  for (const file of readdirSync(folder)) expectNone(readFileSync(join(folder, file), 'latin1'), `${name}: ${file}`);
});
