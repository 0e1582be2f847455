/** argus_patterns, and patterns and runs as resources. Errors of tools: errors.test.ts. */

import { describe, expect, test } from 'vitest';
import { connect, ERAS } from '../harness.ts';
import { CATEGORIES, contract, INSTANT, NUMBER, PATTERN_ID, TEXT } from './contract.ts';

describe.each(ERAS)('%s', (era) => {
  const at = contract(era);
  const { failedRun } = at;

  test('argus_patterns', async () => {
    const { agent, root } = at;
    const { runId, unknown } = await failedRun();
    const builtIn = await agent.data('argus_patterns', { projectPath: root });
    expect(builtIn).toMatchObject({ total: 6, builtInCount: 6, learnedCount: 0, hasMore: false });
    await agent.data('argus_diagnose', { projectPath: root, runId, caseName: unknown });
    const all = await agent.data('argus_patterns', { projectPath: root });
    expect(all).toMatchObject({ total: 7, builtInCount: 6, learnedCount: 1, hasMore: false });
    expect(all.patterns).toHaveLength(7);
    for (const pattern of Array.isArray(all.patterns) ? all.patterns : []) {
      expect(pattern).toEqual({
        id: TEXT,
        category: expect.stringMatching(CATEGORIES),
        signature: TEXT,
        signaturePattern: TEXT,
        description: TEXT,
        suggestedFix: pattern.source === 'built-in' ? TEXT : null,
        ...(pattern.source === 'built-in' ? { standing: 'a built-in tip, not yet tried here' } : {}),
        confidence: NUMBER,
        occurrences: NUMBER,
        resolutions: NUMBER,
        source: TEXT,
        firstSeenAt: INSTANT,
        lastSeenAt: INSTANT,
        updatedAt: INSTANT,
      });
    }
    const timeouts = await agent.data('argus_patterns', { projectPath: root, category: 'TIMEOUT' });
    expect(timeouts).toMatchObject({
      patterns: [{ id: 'builtin-timeout' }],
      total: 1,
      builtInCount: 1,
      learnedCount: 0,
    });
    const learned = await agent.data('argus_patterns', { projectPath: root, source: 'learned', sortBy: 'lastSeen' });
    expect(learned).toMatchObject({ patterns: [{ id: PATTERN_ID, source: 'learned' }], total: 1 });
    const page = await agent.data('argus_patterns', { projectPath: root, sortBy: 'confidence', limit: 2, offset: 2 });
    expect(page).toMatchObject({ total: 7, builtInCount: 6, learnedCount: 1, hasMore: true });
    expect(page.patterns).toHaveLength(2);
  });

  test('resources and their completion', async () => {
    const { agent, root } = at;
    const { runId, unknown: caseName } = await failedRun();
    const args = { projectPath: root, runId, caseName, fixDescription: 'Fixed' };
    const learned = String((await agent.data('argus_report_fix', args)).patternId);
    const templates = await agent.listResourceTemplates();
    const uris = ['pattern', 'run', 'incident'].map((kind) => ({ uriTemplate: `argus://${kind}/{id}` }));
    expect(templates).toMatchObject(uris);
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
    '%s is not there',
    async (uri) => {
      await failedRun();
      await expect(at.agent.read(uri)).rejects.toThrow(/Not found in any open project.*list the ids/u);
    },
  );

  test('nothing is there before a project is open', async () => {
    const fresh = await connect(era);
    const reading = fresh.read('argus://pattern/builtin-timeout');
    await expect(reading).rejects.toThrow(/Not found in any open project.*Call argus_init first/u);
    expect(await fresh.complete('argus://pattern/{id}', 'builtin-')).toEqual([]);
    await fresh.close();
  });
});
