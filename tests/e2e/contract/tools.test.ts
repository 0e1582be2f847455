/**
 * Tests every field of argus_init, argus_import, argus_run, argus_diagnose, argus_report_fix, argus_history and
 * argus_patterns, and patterns and runs as resources. errors.test.ts tests errors, and tests/runners the test runners.
 */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect, createProject } from '../harness.ts';
import { formatJunit, PASSED_REPORT } from '../runs/reports.ts';
import {
  ANY_NUMBER,
  ANY_TEXT,
  agent,
  CATEGORY_PATTERN,
  CAUSE_ID,
  CONNECTION_REFUSED_FIX_ZH,
  createContractProject,
  FIX_ID,
  INSTANT,
  NEW_CASE_VERDICT,
  PATTERN_ID,
  RUN_ID,
  SHA256,
} from './contract.ts';

test('argus_init describes the project and creates no file', async () => {
  const { root, open, importReport } = createContractProject();
  expect(await open()).toEqual({
    projectName: path.basename(root),
    configPath: null,
    historyEnabled: true,
    databasePath: path.join(root, '.argus', 'argus.db'),
    memory: 'new',
    memoryRoot: root,
    locale: 'zh',
    testCommand: null,
    runner: null,
    knownPatterns: 6,
    latestRunId: null,
  });
  expect(existsSync(path.join(root, '.argus'))).toBe(false);
  const { runId } = await importReport('mixed.xml');
  expect(await open(), 'again is no error').toMatchObject({ memory: 'own', knownPatterns: 6, latestRunId: runId });
  expect(readFileSync(path.join(root, '.argus', '.gitignore'), 'utf8')).toBe('*\n');
});

test('argus_init reads the given configuration file', async () => {
  const config = 'locale: en\ntest: { command: npx vitest run }\nhistory: { database: db/a.db }\n';
  const { root, data } = createContractProject({ 'other.yaml': config });
  expect(await data('argus_init', { configFile: 'other.yaml' })).toMatchObject({
    configPath: path.join(root, 'other.yaml'),
    locale: 'en',
    testCommand: 'npx vitest run',
    runner: 'vitest',
    databasePath: path.join(root, 'db', 'a.db'),
  });
});

test('argus_import returns failures with known fixes and their causes', async () => {
  const { open, importReport } = createContractProject();
  await open();
  const cause = { causeId: CAUSE_ID, headline: expect.any(String), count: 1, verdict: NEW_CASE_VERDICT };
  expect(await importReport('mixed.xml')).toEqual({
    runId: RUN_ID,
    status: 'failed',
    durationMs: ANY_NUMBER,
    totals: { passed: 1, failed: 2, skipped: 1, flaky: 0 },
    failures: [
      {
        caseName: expect.stringContaining('health-check'),
        category: 'CONNECTION_REFUSED',
        failureKind: 'connection-refused',
        causeId: CAUSE_ID,
        verdict: NEW_CASE_VERDICT,
        headline: expect.stringContaining('ECONNREFUSED'),
        known: {
          patternId: 'builtin-conn-refused',
          confidence: 0.5,
          suggestedFix: CONNECTION_REFUSED_FIX_ZH,
          fixStatus: 'a built-in tip, not yet tried here',
        },
      },
      {
        caseName: expect.stringContaining('parses'),
        category: 'UNKNOWN',
        failureKind: 'null-dereference',
        causeId: CAUSE_ID,
        verdict: NEW_CASE_VERDICT,
        headline: expect.stringContaining('Cannot read properties of undefined'),
        known: null,
      },
    ],
    more: 0,
    causes: [
      { ...cause, cases: [expect.stringContaining('health-check')] },
      { ...cause, cases: [expect.stringContaining('parses')] },
    ],
    notes: expect.any(Array),
    skipped: [],
  });
  expect(await importReport('passed.xml')).toMatchObject({ status: 'passed', failures: [] });
});

test('argus_import creates a single run from the files that match a glob, and accepts absolute paths', async () => {
  const reports = {
    'reports/a/one.xml': formatJunit([{ name: 'one' }], 'one'),
    'reports/two.xml': formatJunit([{ name: 'two' }], 'two'),
  };
  const { open, data, importReport } = createContractProject(reports);
  await open();
  expect(await importReport('reports/**/*.xml')).toMatchObject({ totals: { passed: 2, failed: 0 } });
  expect(await data('argus_history')).toMatchObject({ total: 1 });
  const outside = createProject({ 'report.xml': PASSED_REPORT });
  expect(await importReport(path.join(outside, 'report.xml'))).toMatchObject({ status: 'passed' });
});

test('argus_run returns the failures of a failed command and records the run', async () => {
  const { open, data } = createContractProject();
  await open();
  const command = 'echo connect ECONNREFUSED 127.0.0.1:5432; exit 3';
  const headline = 'connect ECONNREFUSED 127.0.0.1:5432';
  const run = await data('argus_run', { command, timeoutSeconds: 60 });
  expect(run).toEqual({
    runId: RUN_ID,
    status: 'failed',
    durationMs: ANY_NUMBER,
    totals: { passed: 0, failed: 1, skipped: 0, flaky: 0 },
    failures: [
      {
        caseName: command,
        category: 'CONNECTION_REFUSED',
        failureKind: 'connection-refused',
        headline,
        exitCode: 3,
        causeId: CAUSE_ID,
        verdict: NEW_CASE_VERDICT,
        known: {
          patternId: 'builtin-conn-refused',
          confidence: 0.5,
          suggestedFix: CONNECTION_REFUSED_FIX_ZH,
          fixStatus: 'a built-in tip, not yet tried here',
        },
      },
    ],
    more: 0,
    causes: [{ causeId: CAUSE_ID, headline, count: 1, cases: [command], verdict: NEW_CASE_VERDICT }],
    notes: ['Nothing accepts connections at 127.0.0.1:5432: start the service, then run again.'],
  });
  const { runs } = await data('argus_history');
  expect(runs).toMatchObject([{ id: run.runId, timestamp: INSTANT, command, durationMs: run.durationMs }]);
  const totals = { passed: 1, failed: 0 };
  expect(await data('argus_run', { command: 'exit 0' })).toMatchObject({ status: 'passed', totals, failures: [] });
});

test.skipIf(process.platform === 'win32')(
  'argus_run reports progress; cancelling it ends the command and records no pass',
  async () => {
    const { root, open, data } = createContractProject();
    await open();
    // The command keeps the pipe open, so the end of the pipe shows that the command has ended.
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
    const alive = createReadStream(path.join(root, 'pipe')).resume();
    const gone = once(alive, 'end');
    const heard: string[] = [];
    const abort = new AbortController();
    const call = agent.call(
      'argus_run',
      { projectPath: root, command: 'exec 9> pipe; echo started; sleep 600; true' },
      {
        signal: abort.signal,
        onprogress: ({ message = '' }) => {
          heard.push(message);
          if (message.includes('started')) abort.abort();
        },
      },
    );
    await expect(call).rejects.toThrow();
    expect(heard.at(-1)).toMatch(/^\d+ s {2}started$/u);
    await gone;
    await expect.poll(() => data('argus_history')).toMatchObject({ total: 1, runs: [{ status: 'failed' }] });
  },
);

test('a reported fix is suggested when the same failure recurs', async () => {
  const { data, failedRun, importReport } = createContractProject();
  const { runId, unknown: caseName } = await failedRun();
  const args = { runId, caseName };

  const first = await data('argus_diagnose', args);
  expect(first).toEqual({
    category: 'UNKNOWN',
    failureKind: 'null-dereference',
    message: 'Cannot read properties of undefined (reading "id")',
    cause: { causeId: CAUSE_ID, headline: ANY_TEXT, count: 1, cases: [caseName] },
    verdict: {
      ...NEW_CASE_VERDICT,
      because: [expect.stringContaining(runId)],
      against: [],
      settle: expect.stringContaining('argus run'),
    },
    signature: SHA256,
    signaturePattern: expect.stringMatching(/^UNKNOWN::/u),
    pattern: null,
    suggestedFix: null,
    confidence: null,
    fixHistory: [],
    isNewPattern: true,
    match: { how: 'none', patternId: PATTERN_ID, similarity: null, builtinId: null },
    rule: ANY_TEXT,
    evidence: null,
    related: [],
    warnings: [],
  });

  const fixDescription = 'Loaded the user before its id is read';
  const fix = await data('argus_report_fix', { ...args, fixDescription });
  expect(fix).toEqual({
    patternId: PATTERN_ID,
    category: 'UNKNOWN',
    previousConfidence: 1 / 3,
    updatedConfidence: 2 / 3,
    occurrences: 1,
    resolutions: 1,
    fixRecordId: FIX_ID,
    isNewPattern: false,
    state: 'claimed',
    provedBy: null,
    toProve: expect.stringContaining('passes: call argus_run'),
    trust: { state: 'claimed', passes: 0, needed: 1, failedIn: runId },
    warnings: [expect.stringContaining(`still fails in ${runId}`)],
  });

  await importReport('passed.xml');
  const again = await importReport('mixed.xml');
  expect(again.failures).toContainEqual(
    expect.objectContaining({
      caseName,
      known: {
        patternId: fix.patternId,
        confidence: 2 / 3,
        suggestedFix: fixDescription,
        tried: { proved: 1, claimed: 0, failed: 0 },
        fixStatus: 'fixed 1 of 1 time',
        trust: { state: 'proved', passes: 1, needed: 1, failedIn: runId, provedBy: RUN_ID },
      },
    }),
  );
  const second = await data('argus_diagnose', { ...args, runId: again.runId });
  expect(second).toMatchObject({
    signature: first.signature,
    match: { how: 'signature', patternId: fix.patternId, similarity: 1, builtinId: null },
    pattern: {
      id: fix.patternId,
      category: 'UNKNOWN',
      signature: first.signature,
      signaturePattern: first.signaturePattern,
      description: ANY_TEXT,
      suggestedFix: fixDescription,
      confidence: 0.5,
      occurrences: 2,
      resolutions: 1,
      source: 'learned',
      firstSeenAt: INSTANT,
      lastSeenAt: INSTANT,
      updatedAt: INSTANT,
    },
    suggestedFix: fixDescription,
    confidence: 0.5,
    fixHistory: [
      {
        id: fix.fixRecordId,
        patternId: fix.patternId,
        runId,
        caseName,
        fixDescription,
        success: true,
        createdAt: INSTANT,
      },
    ],
    isNewPattern: false,
  });
});

test('a fix of a failure with a built-in pattern is learned, and counts for both patterns', async () => {
  const { data, failedRun } = createContractProject();
  const { runId, refused: caseName } = await failedRun();
  const args = { runId, caseName };
  const diagnosis = await data('argus_diagnose', args);
  expect(diagnosis).toMatchObject({
    category: 'CONNECTION_REFUSED',
    signature: SHA256,
    pattern: {
      id: 'builtin-conn-refused',
      category: 'CONNECTION_REFUSED',
      signature: 'builtin::CONNECTION_REFUSED',
      signaturePattern: 'ECONNREFUSED *:*',
      description: 'Service connection refused',
      suggestedFix: CONNECTION_REFUSED_FIX_ZH,
      confidence: 1 / 3,
      occurrences: 1,
      resolutions: 0,
      source: 'built-in',
      firstSeenAt: INSTANT,
      lastSeenAt: INSTANT,
      updatedAt: INSTANT,
    },
    suggestedFix: CONNECTION_REFUSED_FIX_ZH,
    confidence: 1 / 3,
    isNewPattern: false,
  });
  const fix = await data('argus_report_fix', { ...args, fixDescription: 'Raised startPeriod to 30s' });
  expect(fix).toMatchObject({
    patternId: 'builtin-conn-refused',
    previousConfidence: 1 / 3,
    updatedConfidence: 2 / 3,
    isNewPattern: false,
  });
  const after = await data('argus_diagnose', args);
  expect(after).toMatchObject({
    suggestedFix: 'Raised startPeriod to 30s',
    pattern: { source: 'learned', signature: diagnosis.signature },
    fixHistory: [{ fixDescription: 'Raised startPeriod to 30s' }],
  });
});

test('argus_history lists runs, newest first, in pages and by status', async () => {
  const { open, data, importReport } = createContractProject();
  await open();
  expect(await data('argus_history')).toEqual({ runs: [], total: 0, hasMore: false });
  const first = await importReport('mixed.xml');
  const second = await importReport('passed.xml');
  const record = {
    id: second.runId,
    timestamp: INSTANT,
    gitCommit: null,
    gitBranch: null,
    dirty: null,
    command: null,
    durationMs: ANY_NUMBER,
    passed: 2,
    failed: 0,
    skipped: 0,
    flaky: 0,
    status: 'passed',
  };
  const older = expect.objectContaining({ id: first.runId, status: 'failed' });
  expect(await data('argus_history')).toEqual({ runs: [record, older], total: 2, hasMore: false });
  expect(await data('argus_history', { limit: 1 })).toEqual({ runs: [record], total: 2, hasMore: true });
  expect(await data('argus_history', { limit: 1, offset: 1 })).toEqual({ runs: [older], total: 2, hasMore: false });
  const failed = await data('argus_history', { status: 'failed', days: 7 });
  expect(failed).toEqual({ runs: [older], total: 1, hasMore: false });
});

test('argus_history of a run lists its cases in pages', async () => {
  const { data, failedRun } = createContractProject();
  const { runId, refused } = await failedRun();
  const detail = await data('argus_history', { runId });
  expect(detail).toMatchObject({ run: { id: runId, passed: 1, failed: 2, skipped: 1 }, total: 4, hasMore: false });
  expect(detail.cases).toHaveLength(4);
  expect(detail.cases).toContainEqual({
    caseName: refused,
    status: 'failed',
    flaky: false,
    runnerStatus: null,
    durationMs: 100,
    attempts: 1,
    category: 'CONNECTION_REFUSED',
    headline: expect.stringContaining('ECONNREFUSED'),
    error: expect.stringContaining('ECONNREFUSED'),
    signature: SHA256,
    verdict: NEW_CASE_VERDICT,
    causeId: CAUSE_ID,
  });
  expect(await data('argus_history', { runId, limit: 1, offset: 1 })).toMatchObject({ total: 4, hasMore: true });
});

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
      ...(isTip ? { fixStatus: 'a built-in tip, not yet tried here' } : {}),
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
