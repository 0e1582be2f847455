/** Tests the calls of the viewer on the published wasm. */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createInspector, type Engine, isPageCall, PAGE_CALLS, type PageCallName, WRITING_CALLS } from 'argus-engine';
import { expect, test } from 'vitest';
import { createTestFolder, openTestEngine as openAny } from './setup.ts';

const FIXTURES_FOLDER = fileURLToPath(new URL('../../../crates/store/tests/fixtures/', import.meta.url));

const openDatabase = (databasePath: string, readOnly = false) => openAny({ databasePath, locale: 'en', readOnly });

/** Copies a database of an earlier schema version, or creates one of this version, in its own folder. */
function createDatabaseFile(version: number): string {
  // The folder's name contains characters that have a meaning in URLs.
  const path = join(createTestFolder('argus view?#%20-'), 'argus.db');
  copyFileSync(join(FIXTURES_FOLDER, `version-${version}.db`), path);
  return path;
}

test('offers pages exactly the calls of the list', async () => {
  const engine = await openDatabase(':memory:');
  for (const method of PAGE_CALLS) {
    const params: object = { id: 'x', base: 'x', head: 'x', runId: 'x', caseName: 'x', event: { text: 'x' } };
    const called = callWithUncheckedParams(engine, method, params);
    const codes = ['RUN_NOT_FOUND', 'PATTERN_NOT_FOUND', 'INCIDENT_NOT_FOUND', 'INVALID_INPUT'];
    await called.catch((error) => expect(codes, method).toContain(error.code));
  }
  expect(isPageCall('viewPatterns') && !isPageCall('constructor') && !isPageCall('recordRun')).toBe(true);
  await expect(callWithUncheckedParams(engine, JSON.parse('"free"'), {})).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
  const edits = PAGE_CALLS.filter((call) => WRITING_CALLS.some((writing) => writing === call));
  expect(edits).toEqual(['editPattern', 'mergePatterns', 'splitPattern', 'markFix']);
});

/** Calls a method with unchecked params, as a page does. */
function callWithUncheckedParams(engine: Engine, method: PageCallName, params: object): Promise<unknown> {
  return engine.call(method, JSON.parse(JSON.stringify(params)));
}

test('edits a pattern and reverts the edit', async () => {
  const engine = await openDatabase(createDatabaseFile(3));
  const { patterns, total } = await engine.viewPatterns({ source: 'learned' });
  expect(total).toBe(1);
  const id = patterns[0]?.id ?? '';
  expect(patterns[0]).toMatchObject({ description: 'Out of tune', category: 'CONFIG_ERROR', edited: true });
  const page = await engine.viewPattern({ id });
  expect(page).toMatchObject({
    set: { description: 'Out of tune', suggestedFix: 'Tune it' },
    learned: { category: 'UNKNOWN', suggestedFix: 'Tuned it' },
    seenTotal: 1,
  });
  const row = await engine.editPattern({ id, category: null, suggestedFix: null });
  expect(row).toMatchObject({ category: 'UNKNOWN', description: 'Out of tune', suggestedFix: 'Tuned it' });
  const marked = await engine.markFix({ fixId: page.fixes[0]?.fixId ?? '', wrong: true });
  expect(marked).toMatchObject({ wrong: true, pattern: { id, suggestedFix: null, resolutions: 0 } });
  const overview = await engine.viewOverview();
  expect(overview).toMatchObject({ patterns: 7, learnedPatterns: 1, runs: 1, incidents: 1 });
});

test.each([1, 2, 3])('reads a file of version %i without changing it', async (version) => {
  const path = createDatabaseFile(version);
  const before = readFileSync(path);
  const engine = await openDatabase(path, true);
  const { runs } = await engine.viewRuns();
  const run = await engine.viewRun({ id: runs[0]?.id ?? '' });
  expect(run).toMatchObject({ total: 2, groups: [{ count: 1, headline: expect.stringContaining('tune') }] });
  const { total } = await engine.viewPatterns({ text: 'flux', sort: 'description' });
  expect(total).toBe(version < 3 ? 1 : 0);
  const grid = await engine.viewGrid();
  expect(grid.tests.map((row) => row.states)).toEqual([['failed'], ['passed']]);
  const id = run.groups[0]?.pattern?.id ?? '';
  await expect(engine.editPattern({ id, description: 'x' })).rejects.toMatchObject({
    code: 'DATABASE_READ_ONLY',
  });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('reads a file that a writer migrates at the same time', async () => {
  const path = createDatabaseFile(2);
  const reader = await openDatabase(path, true);
  const { patterns } = await reader.viewPatterns({ source: 'learned' });
  const id = patterns[0]?.id ?? '';
  const writer = await openDatabase(path);
  await writer.editPattern({ id, description: 'The plan is old' });
  const after = await reader.viewPattern({ id });
  expect(after.pattern.description).toBe('The plan is old');
});

test('returns correct positions of placeholders and evidence', () => {
  const text = '😀 Error: connect ECONNREFUSED 127.0.0.1:5432 for 123e4567-e89b-42d3-a456-426614174000';
  const { inspection, placeholders } = createInspector().explain({ text, caseName: 'é' });
  const words = placeholders.map(({ start, end }) => inspection.normalized.slice(start, end));
  expect(words).toEqual(placeholders.map(({ name }) => `<${name}>`));
  expect(words).toContain('<UUID>');
  const { evidence } = inspection;
  expect(inspection.redacted.slice(evidence?.start, evidence?.end)).toBe(evidence?.text);
});
