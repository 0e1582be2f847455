/** Tests argus_patterns, and patterns and runs as resources. errors.test.ts tests errors of tools. */

import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../harness.ts';
import {
  ANY_NUMBER,
  ANY_TEXT,
  agent,
  CATEGORY_PATTERN,
  createContractProject,
  INSTANT,
  PATTERN_ID,
} from './contract.ts';

test('argus_patterns lists built-in and learned patterns, by category, source and order', async () => {
  const { data, failedRun } = createContractProject();
  const { runId, unknown } = await failedRun();
  const builtIn = await data('argus_patterns');
  expect(builtIn).toMatchObject({ total: 6, builtInCount: 6, learnedCount: 0, hasMore: false });
  await data('argus_diagnose', { runId, caseName: unknown });
  const all = await data('argus_patterns');
  expect(all).toMatchObject({ total: 7, builtInCount: 6, learnedCount: 1, hasMore: false });
  expect(all.patterns).toHaveLength(7);
  for (const pattern of Array.isArray(all.patterns) ? all.patterns : []) {
    const isTip = pattern.source === 'built-in';
    expect(pattern).toEqual({
      id: ANY_TEXT,
      category: expect.stringMatching(CATEGORY_PATTERN),
      signature: ANY_TEXT,
      signaturePattern: ANY_TEXT,
      description: ANY_TEXT,
      suggestedFix: isTip ? ANY_TEXT : null,
      ...(isTip ? { standing: 'a built-in tip, not yet tried here' } : {}),
      confidence: ANY_NUMBER,
      occurrences: ANY_NUMBER,
      resolutions: ANY_NUMBER,
      source: ANY_TEXT,
      firstSeenAt: INSTANT,
      lastSeenAt: INSTANT,
      updatedAt: INSTANT,
    });
  }
  const timeouts = { patterns: [{ id: 'builtin-timeout' }], total: 1, builtInCount: 1, learnedCount: 0 };
  expect(await data('argus_patterns', { category: 'TIMEOUT' })).toMatchObject(timeouts);
  const learned = await data('argus_patterns', { source: 'learned', sortBy: 'lastSeen' });
  expect(learned).toMatchObject({ patterns: [{ id: PATTERN_ID, source: 'learned' }], total: 1 });
  const page = await data('argus_patterns', { sortBy: 'confidence', limit: 2, offset: 2 });
  expect(page).toMatchObject({ total: 7, builtInCount: 6, learnedCount: 1, hasMore: true });
  expect(page.patterns).toHaveLength(2);
});

test('runs and patterns are resources whose ids can be completed', async () => {
  const { data, failedRun } = createContractProject();
  const { runId, unknown: caseName } = await failedRun();
  const fix = await data('argus_report_fix', { runId, caseName, fixDescription: 'Fixed' });
  const learned = String(fix.patternId);
  const uris = ['pattern', 'run', 'incident'].map((kind) => ({ uriTemplate: `argus://${kind}/{id}` }));
  expect(await agent.listResourceTemplates()).toMatchObject(uris);
  expect(await agent.complete('argus://run/{id}', runId.slice(0, -1))).toEqual([runId]);
  expect(await agent.complete('argus://pattern/{id}', 'builtin-t')).toEqual(['builtin-timeout']);
  expect(await agent.read(`argus://run/${runId}`)).toMatchObject({ run: { id: runId }, total: 4 });
  expect(await agent.complete('argus://pattern/{id}', 'pat-')).toContain(learned);
  expect(await agent.read(`argus://pattern/${learned}`)).toMatchObject({
    pattern: { id: learned, source: 'learned' },
    fixHistory: [{ fixDescription: 'Fixed', runId }],
    sample: expect.stringContaining('Cannot read properties'),
  });
});

test.each(['argus://run/run-nope', 'argus://pattern/pat-nope', 'argus://pattern/builtin-nope'])(
  'the error for %s names the tool that lists the ids',
  async (uri) => {
    await createContractProject().open();
    await expect(agent.read(uri)).rejects.toThrow(/Not found in any open project.*list the ids/u);
  },
);

test('without an open project, the server lists no resources and completes no ids', async () => {
  const fresh = await connect('2026-07-28');
  onTestFinished(() => fresh.close());
  const reading = fresh.read('argus://pattern/builtin-timeout');
  await expect(reading).rejects.toThrow(/Not found in any open project.*Call argus_init first/u);
  expect(await fresh.complete('argus://pattern/{id}', 'builtin-')).toEqual([]);
});
