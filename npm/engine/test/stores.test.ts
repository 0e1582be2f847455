/** Tests the interface for tools on Node: the stores, `classify` and `generateSignature`. */
import { createHash } from 'node:crypto';
import { classify, createInspector, EngineError, generateSignature, HistoryStore, KnowledgeStore } from 'argus-engine';
import { expect, test } from 'vitest';
import { openTestEngine } from './setup.ts';

async function openStores() {
  const engine = await openTestEngine();
  const failing = (command: string) => {
    const outputTail = `SomethingBroke: ${command} could not be done`;
    return engine.recordRun({
      command,
      exitCode: 1,
      timedOut: false,
      reports: [],
      containers: [],
      notes: [],
      outputTail,
    });
  };
  return { engine, failing, history: new HistoryStore(engine), knowledge: new KnowledgeStore(engine) };
}

test('HistoryStore returns recorded runs with their cases', async () => {
  const { failing, history } = await openStores();
  expect(await history.getLatestRun()).toBeNull();
  const first = await failing('make one');
  const second = await failing('make two');
  expect(await history.getLatestRun()).toMatchObject({ id: second.runId, command: 'make two', status: 'failed' });
  expect(await history.getRunById(first.runId)).toMatchObject({
    run: { id: first.runId },
    cases: [{ caseName: 'make one', status: 'failed', error: expect.stringContaining('SomethingBroke') }],
    total: 1,
  });
  expect(await history.getRunById('run-nope')).toBeNull();
  expect(await history.listRuns({ limit: 1 })).toMatchObject({ runs: [{ id: second.runId }], total: 2, hasMore: true });
});

test('KnowledgeStore returns patterns and records their fixes', async () => {
  const { engine, failing, knowledge } = await openStores();
  const { runId } = await failing('make one');
  const { signature, category } = await engine.diagnose({ runId, caseName: 'make one' });
  const pattern = await knowledge.findBySignature(signature);
  if (pattern === null) throw new Error('diagnosing stored a pattern');
  expect(pattern).toMatchObject({ signature, category, source: 'learned', occurrences: 1, resolutions: 0 });
  const params = {
    patternId: pattern.id,
    runId,
    caseName: 'make one',
    fixDescription: 'Made it by hand',
    success: true,
  };
  const fix = await knowledge.recordFix(params);
  expect(fix).toMatchObject(params);
  expect(await knowledge.getFixHistory(pattern.id)).toEqual([fix]);
  expect(await knowledge.getPatternById(pattern.id)).toMatchObject({ suggestedFix: 'Made it by hand', resolutions: 1 });
  expect(await knowledge.findByCategory('TIMEOUT')).toMatchObject([{ id: 'builtin-timeout' }]);
  expect(await knowledge.getAllPatterns()).toHaveLength(7);
  expect(await knowledge.findBySignature('0'.repeat(64))).toBeNull();
  expect(await knowledge.getPatternById('pat-nope')).toBeNull();
  const unknown = knowledge.recordFix({ ...params, patternId: 'pat-nope' });
  await expect(unknown).rejects.toBeInstanceOf(EngineError);
  await expect(unknown).rejects.toMatchObject({
    code: 'PATTERN_NOT_FOUND',
    message: expect.stringContaining('pat-nope'),
  });
});

test('KnowledgeStore returns all patterns when they fill several pages', async () => {
  const { engine } = await openStores();
  const onePerPage = new KnowledgeStore({
    pattern: engine.pattern,
    findBySignature: engine.findBySignature,
    recordFix: engine.recordFix,
    patterns: (params) => engine.patterns({ ...params, limit: 1 }),
  });
  expect(await onePerPage.getAllPatterns()).toEqual((await engine.patterns()).patterns);
});

test('classify and generateSignature agree with the engine', () => {
  expect(classify({ text: 'worker ended', exitCode: 137, oomKilled: true })).toBe('CONTAINER_OOM');
  const text = 'TypeError: cannot divide by cucumber';
  const caseName = 'shop > adds';
  const { category, normalized, signature } = createInspector().inspect({ text, caseName });
  expect(generateSignature(category, caseName, text)).toBe(signature);
  const hash = createHash('sha256').update(`${category}::${caseName}::${normalized}`).digest('hex');
  expect(signature, 'of the contract').toBe(hash);
});

test('refuses unsupported regex syntax and suggests a replacement', () => {
  const inspector = (pattern: string) => createInspector({ rules: [{ name: 'mine', category: 'UNKNOWN', pattern }] });
  for (const pattern of ['\\p{Lu}+', '\\p{Greek}', '[\\pL]']) {
    expect(() => inspector(pattern)).toThrow(expect.objectContaining({ message: expect.stringContaining('[A-Z]') }));
  }
  expect(inspector('(?i)\\b\\wß\\d\\s').classify({ text: 'nothing' })).toBe('UNKNOWN');
});
