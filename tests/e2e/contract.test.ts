/**
 * Every field and every error code of the tools, with both clients.
 * Does not: run tests; `runners.test.ts` does.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Agent, connect, type Data, ERAS, project } from './harness.ts';
import { ALL_PASSED, junit, MIXED } from './reports.ts';

const CATEGORIES =
  /^(?:ASSERTION_MISMATCH|HTTP_ERROR|TIMEOUT|CONNECTION_REFUSED|CONTAINER_OOM|CONTAINER_CRASH|MOCK_MISMATCH|CONFIG_ERROR|NETWORK_ERROR|UNKNOWN)$/u;
const UUID_V7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const RUN_ID = expect.stringMatching(`^run-${UUID_V7}$`);
const PATTERN_ID = expect.stringMatching(`^pat-${UUID_V7}$`);
const FIX_ID = expect.stringMatching(`^fix-${UUID_V7}$`);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
const SHA256 = expect.stringMatching(/^[0-9a-f]{64}$/u);
const TEXT = expect.stringMatching(/./u);
const NUMBER = expect.any(Number);

const REFUSED_FIX_ZH = '服务可能未完全启动，尝试增加 healthcheck.startPeriod';

describe.each(ERAS)('%s', (era) => {
  let agent: Agent;
  let root: string;
  beforeAll(async () => {
    agent = await connect(era);
  });
  afterAll(() => agent.close());
  beforeEach(() => {
    root = project({ 'mixed.xml': MIXED, 'passed.xml': ALL_PASSED });
  });

  const open = () => agent.data('argus_init', { projectPath: root });
  const importReport = (file: string) => agent.data('argus_import', { projectPath: root, path: file });

  async function failedRun() {
    await open();
    const run = await importReport('mixed.xml');
    const named = (part: string) => {
      const failures = Array.isArray(run.failures) ? run.failures : [];
      return String(failures.find((failure: Data) => String(failure.caseName).includes(part))?.caseName);
    };
    return { runId: String(run.runId), refused: named('health-check'), unknown: named('parses') };
  }

  test('argus_init', async () => {
    expect(await open()).toEqual({
      projectName: path.basename(root),
      configPath: null,
      historyEnabled: true,
      databasePath: path.join(root, '.argus', 'argus.db'),
      locale: 'zh',
      testCommand: null,
      runner: null,
      knownPatterns: 6,
      latestRunId: null,
    });
    expect(existsSync(path.join(root, '.argus')), 'opening creates nothing').toBe(false);
    const { runId } = await importReport('mixed.xml');
    expect(await open(), 'again is no error').toMatchObject({ knownPatterns: 6, latestRunId: runId });
    expect(readFileSync(path.join(root, '.argus', '.gitignore'), 'utf8')).toBe('*\n');
  });

  test('argus_init with a configuration', async () => {
    writeFileSync(
      path.join(root, 'other.yaml'),
      'locale: en\ntest: { command: npx vitest run }\nhistory: { database: db/a.db }\n',
    );
    expect(await agent.data('argus_init', { projectPath: root, configFile: 'other.yaml' })).toMatchObject({
      configPath: path.join(root, 'other.yaml'),
      locale: 'en',
      testCommand: 'npx vitest run',
      runner: 'vitest',
      databasePath: path.join(root, 'db', 'a.db'),
    });
  });

  test('argus_import', async () => {
    await open();
    expect(await importReport('mixed.xml')).toEqual({
      runId: RUN_ID,
      status: 'failed',
      durationMs: NUMBER,
      totals: { passed: 1, failed: 2, skipped: 1, flaky: 0 },
      failures: [
        {
          caseName: expect.stringContaining('health-check'),
          category: 'CONNECTION_REFUSED',
          headline: expect.stringContaining('ECONNREFUSED'),
          known: { patternId: 'builtin-conn-refused', confidence: 0.5, suggestedFix: REFUSED_FIX_ZH },
        },
        {
          caseName: expect.stringContaining('parses'),
          category: 'UNKNOWN',
          headline: expect.stringContaining('Cannot read properties of undefined'),
          known: null,
        },
      ],
      more: 0,
      notes: expect.any(Array),
      skipped: [],
    });
    expect(await importReport('passed.xml')).toMatchObject({ status: 'passed', failures: [] });
  });

  test('argus_import makes one run of many files', async () => {
    await open();
    mkdirSync(path.join(root, 'reports', 'a'), { recursive: true });
    writeFileSync(path.join(root, 'reports', 'a', 'one.xml'), junit([{ name: 'one' }], 'one'));
    writeFileSync(path.join(root, 'reports', 'two.xml'), junit([{ name: 'two' }], 'two'));
    expect(await importReport('reports/**/*.xml')).toMatchObject({ totals: { passed: 2, failed: 0 } });
    const history = await agent.data('argus_history', { projectPath: root });
    expect(history).toMatchObject({ total: 1 });
  });

  test('argus_import takes absolute paths outside of the project', async () => {
    await open();
    const outside = project({ 'report.xml': ALL_PASSED });
    expect(await importReport(path.join(outside, 'report.xml'))).toMatchObject({ status: 'passed' });
  });

  test('argus_history', async () => {
    await open();
    expect(await agent.data('argus_history', { projectPath: root })).toEqual({ runs: [], total: 0, hasMore: false });
    const first = await importReport('mixed.xml');
    const second = await importReport('passed.xml');
    const record = {
      id: second.runId,
      timestamp: INSTANT,
      gitCommit: null,
      gitBranch: null,
      dirty: null,
      command: null,
      durationMs: NUMBER,
      passed: 2,
      failed: 0,
      skipped: 0,
      flaky: 0,
      status: 'passed',
    };
    const all = await agent.data('argus_history', { projectPath: root });
    expect(all).toEqual({ runs: [record, expect.objectContaining({ id: first.runId })], total: 2, hasMore: false });
    const page = await agent.data('argus_history', { projectPath: root, limit: 1 });
    expect(page).toEqual({ runs: [record], total: 2, hasMore: true });
    const rest = await agent.data('argus_history', { projectPath: root, limit: 1, offset: 1 });
    expect(rest).toMatchObject({ runs: [{ id: first.runId }], hasMore: false });
    const failed = await agent.data('argus_history', { projectPath: root, status: 'failed', days: 7 });
    expect(failed).toMatchObject({ runs: [{ id: first.runId, status: 'failed' }], total: 1 });
  });

  test('argus_history of one run', async () => {
    const { runId, refused } = await failedRun();
    const detail = await agent.data('argus_history', { projectPath: root, runId });
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
    });
    const page = await agent.data('argus_history', { projectPath: root, runId, limit: 1, offset: 1 });
    expect(page).toMatchObject({ total: 4, hasMore: true });
  });

  test('a failure, its diagnosis, its fix, and the same failure again', async () => {
    const { runId, unknown: caseName } = await failedRun();
    const args = { projectPath: root, runId, caseName };

    const first = await agent.data('argus_diagnose', args);
    expect(first).toEqual({
      category: 'UNKNOWN',
      signature: SHA256,
      signaturePattern: expect.stringMatching(/^UNKNOWN::/u),
      pattern: null,
      suggestedFix: null,
      confidence: null,
      fixHistory: [],
      isNewPattern: true,
      rule: TEXT,
      evidence: null,
      related: [],
      warnings: [],
    });

    const fix = await agent.data('argus_report_fix', {
      ...args,
      fixDescription: 'Loaded the user before its id is read',
    });
    expect(fix).toEqual({
      patternId: PATTERN_ID,
      category: 'UNKNOWN',
      previousConfidence: 1 / 3,
      updatedConfidence: 2 / 3,
      occurrences: 1,
      resolutions: 1,
      fixRecordId: FIX_ID,
      isNewPattern: false,
    });

    const again = await agent.data('argus_import', { projectPath: root, path: 'mixed.xml' });
    expect(again.failures).toContainEqual(
      expect.objectContaining({
        caseName,
        known: { patternId: fix.patternId, confidence: 2 / 3, suggestedFix: 'Loaded the user before its id is read' },
      }),
    );
    const second = await agent.data('argus_diagnose', { ...args, runId: again.runId });
    expect(second).toMatchObject({
      signature: first.signature,
      pattern: {
        id: fix.patternId,
        category: 'UNKNOWN',
        signature: first.signature,
        signaturePattern: first.signaturePattern,
        description: TEXT,
        suggestedFix: 'Loaded the user before its id is read',
        confidence: 0.5,
        occurrences: 2,
        resolutions: 1,
        source: 'learned',
        firstSeenAt: INSTANT,
        lastSeenAt: INSTANT,
        updatedAt: INSTANT,
      },
      suggestedFix: 'Loaded the user before its id is read',
      confidence: 0.5,
      fixHistory: [
        {
          id: fix.fixRecordId,
          patternId: fix.patternId,
          runId,
          caseName,
          fixDescription: 'Loaded the user before its id is read',
          success: true,
          createdAt: INSTANT,
        },
      ],
      isNewPattern: false,
    });
  });

  test('a fix without a diagnosis before it', async () => {
    const { runId, unknown: caseName } = await failedRun();
    const fix = await agent.data('argus_report_fix', { projectPath: root, runId, caseName, fixDescription: 'Fixed' });
    expect(fix).toMatchObject({
      previousConfidence: null,
      updatedConfidence: 2 / 3,
      occurrences: 1,
      resolutions: 1,
      isNewPattern: true,
    });
  });

  test('a fix that did not help', async () => {
    const { runId, unknown: caseName } = await failedRun();
    await agent.data('argus_diagnose', { projectPath: root, runId, caseName });
    const args = { projectPath: root, runId, caseName, fixDescription: 'Restarted it', success: false };
    expect(await agent.data('argus_report_fix', args)).toMatchObject({ resolutions: 0, updatedConfidence: 1 / 3 });
  });

  test('a built-in pattern', async () => {
    const { runId, refused: caseName } = await failedRun();
    const args = { projectPath: root, runId, caseName };
    const diagnosis = await agent.data('argus_diagnose', args);
    expect(diagnosis).toMatchObject({
      category: 'CONNECTION_REFUSED',
      signature: SHA256,
      pattern: {
        id: 'builtin-conn-refused',
        category: 'CONNECTION_REFUSED',
        signature: 'builtin::CONNECTION_REFUSED',
        signaturePattern: 'ECONNREFUSED *:*',
        description: 'Service connection refused',
        suggestedFix: REFUSED_FIX_ZH,
        confidence: 1 / 3,
        occurrences: 1,
        resolutions: 0,
        source: 'built-in',
        firstSeenAt: INSTANT,
        lastSeenAt: INSTANT,
        updatedAt: INSTANT,
      },
      suggestedFix: REFUSED_FIX_ZH,
      confidence: 1 / 3,
      isNewPattern: false,
    });
    const fix = await agent.data('argus_report_fix', { ...args, fixDescription: 'Raised startPeriod to 30s' });
    expect(fix).toMatchObject({
      patternId: 'builtin-conn-refused',
      previousConfidence: 1 / 3,
      updatedConfidence: 2 / 3,
      isNewPattern: false,
    });
    const after = await agent.data('argus_diagnose', args);
    expect(after).toMatchObject({
      suggestedFix: 'Raised startPeriod to 30s',
      pattern: { source: 'learned', signature: diagnosis.signature },
      fixHistory: [{ fixDescription: 'Raised startPeriod to 30s' }],
    });
  });

  test('argus_patterns', async () => {
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

  test('English texts', async () => {
    writeFileSync(path.join(root, 'argus.yaml'), 'locale: en\n');
    const { runId, refused: caseName } = await failedRun();
    const { suggestedFix } = await agent.data('argus_diagnose', { projectPath: root, runId, caseName });
    expect(suggestedFix).toMatch(/^The service may not have fully started/u);
  });

  test('resources and their completion', async () => {
    const { runId, unknown: caseName } = await failedRun();
    const args = { projectPath: root, runId, caseName, fixDescription: 'Fixed' };
    const learned = String((await agent.data('argus_report_fix', args)).patternId);
    const templates = await agent.listResourceTemplates();
    expect(templates).toMatchObject([{ uriTemplate: 'argus://pattern/{id}' }, { uriTemplate: 'argus://run/{id}' }]);
    expect(await agent.complete('argus://run/{id}', runId.slice(0, -1))).toEqual([runId]);
    expect(await agent.complete('argus://pattern/{id}', 'builtin-t')).toEqual(['builtin-timeout']);
    expect(await agent.read(`argus://run/${runId}`)).toMatchObject({ run: { id: runId }, total: 4 });
    expect(await agent.complete('argus://pattern/{id}', 'pat-')).toContain(learned);
    expect(await agent.read(`argus://pattern/${learned}`)).toMatchObject({
      pattern: { id: learned, source: 'learned' },
      fixHistory: [{ fixDescription: 'Fixed', runId }],
      sample: expect.stringContaining('Cannot read properties'),
    });
    await expect(agent.read('argus://run/run-nope')).rejects.toThrow(/Not found in any open project/u);
  });

  describe('errors', () => {
    test('SESSION_NOT_FOUND', async () => {
      const args = { projectPath: root, runId: 'run-1', caseName: 'a', fixDescription: 'b', path: 'mixed.xml' };
      const tools: [string, (keyof typeof args)[]][] = [
        ['argus_run', []],
        ['argus_import', ['path']],
        ['argus_history', []],
        ['argus_diagnose', ['runId', 'caseName']],
        ['argus_report_fix', ['runId', 'caseName', 'fixDescription']],
        ['argus_patterns', []],
      ];
      for (const [tool, names] of tools) {
        const needed = Object.fromEntries(['projectPath' as const, ...names].map((name) => [name, args[name]]));
        const { code, message } = await agent.error(tool, needed);
        expect({ tool, code }).toEqual({ tool, code: 'SESSION_NOT_FOUND' });
        expect(message).toContain('Call argus_init');
      }
    });

    test('HISTORY_DISABLED', async () => {
      writeFileSync(path.join(root, 'argus.yaml'), 'history: { enabled: false }\n');
      expect(await open()).toMatchObject({ historyEnabled: false, knownPatterns: 0, latestRunId: null });
      const of = (tool: string, args: Data = {}) => agent.error(tool, { projectPath: root, ...args });
      const errors = [
        await of('argus_run', { command: 'exit 1' }),
        await of('argus_import', { path: 'mixed.xml' }),
        await of('argus_history'),
        await of('argus_diagnose', { runId: 'run-1', caseName: 'a' }),
        await of('argus_report_fix', { runId: 'run-1', caseName: 'a', fixDescription: 'b' }),
        await of('argus_patterns'),
      ];
      expect(errors.map(({ code }) => code)).toEqual(Array(6).fill('HISTORY_DISABLED'));
      expect(errors[0]?.message).toContain('Set history.enabled to true');
      expect(existsSync(path.join(root, '.argus'))).toBe(false);
      writeFileSync(path.join(root, 'argus.yaml'), '{}\n');
      expect(await open(), 'a changed configuration is taken over').toMatchObject({ historyEnabled: true });
    });

    test('RUN_NOT_FOUND', async () => {
      const { runId } = await failedRun();
      const sentence = /^Test run 'run-xyz' not found in history/u;
      const args = { projectPath: root, runId: 'run-xyz', caseName: 'a' };
      for (const [tool, more] of [
        ['argus_diagnose', {}],
        ['argus_report_fix', { fixDescription: 'b' }],
      ] as const) {
        const { code, message } = await agent.error(tool, { ...args, ...more });
        expect({ tool, code }).toEqual({ tool, code: 'RUN_NOT_FOUND' });
        expect(message).toMatch(sentence);
        expect(message, 'names the ids there are').toContain(runId);
      }
      expect((await agent.error('argus_history', { projectPath: root, runId: 'run-xyz' })).code).toBe('RUN_NOT_FOUND');
    });

    test('CASE_NOT_FOUND', async () => {
      const { runId } = await failedRun();
      for (const [tool, more] of [
        ['argus_diagnose', {}],
        ['argus_report_fix', { fixDescription: 'b' }],
      ] as const) {
        const { code, message } = await agent.error(tool, {
          projectPath: root,
          runId,
          caseName: 'health-chek',
          ...more,
        });
        expect({ tool, code }).toEqual({ tool, code: 'CASE_NOT_FOUND' });
        expect(message, 'names the closest').toContain('health-check');
      }
    });

    test('CASE_NOT_FAILED', async () => {
      const { runId } = await failedRun();
      for (const caseName of ['lists users', 'pays']) {
        const args = { projectPath: root, runId, caseName };
        expect((await agent.error('argus_diagnose', args)).code).toBe('CASE_NOT_FAILED');
        expect((await agent.error('argus_report_fix', { ...args, fixDescription: 'b' })).code).toBe('CASE_NOT_FAILED');
      }
      const passed = await importReport('passed.xml');
      const args = { projectPath: root, runId: passed.runId, caseName: 'health-check', fixDescription: 'b' };
      const { message } = await agent.error('argus_report_fix', args);
      expect(message, 'names the run in which it failed').toContain(runId);
    });

    test('INVALID_INPUT', async () => {
      await open();
      const bad: [string, Data, RegExp][] = [
        ['argus_init', {}, /projectPath/u],
        ['argus_init', { projectPath: 'relative/path' }, /absolute/u],
        ['argus_init', { projectPath: path.join(root, 'mixed.xml') }, /is a file/u],
        [
          'argus_init',
          { projectPath: root, config: 'x' },
          /Unrecognized key.*Arguments of argus_init: projectPath, configFile/u,
        ],
        ['argus_run', { projectPath: root, timeoutSeconds: 0 }, /timeoutSeconds/u],
        ['argus_run', { projectPath: root, command: 'make', filter: 'x' }, /filter is not possible/u],
        ['argus_import', { projectPath: root, path: 'mixed.xml', format: 'xunit' }, /format/u],
        ['argus_history', { projectPath: root, limit: 101 }, /limit/u],
        ['argus_history', { projectPath: root, runId: 'run-1', days: 1 }, /leave them out/u],
        ['argus_diagnose', { projectPath: root, runId: 'run-1' }, /caseName/u],
        ['argus_report_fix', { projectPath: root, runId: 'r', caseName: 'c', fixDescription: ' ' }, /fixDescription/u],
        [
          'argus_report_fix',
          { projectPath: root, runId: 'r', caseName: 'c', fixDescription: 'f', success: 'yes' },
          /success/u,
        ],
        ['argus_patterns', { projectPath: root, category: 'FLAKY' }, /category/u],
        ['argus_patterns', { projectPath: root, limit: 201 }, /limit/u],
        ['argus_patterns', { projectPath: 'relative' }, /absolute/u],
      ];
      for (const [tool, args, message] of bad) {
        const error = await agent.error(tool, args);
        expect({ tool, args, code: error.code }).toEqual({ tool, args, code: 'INVALID_INPUT' });
        expect(error.message).toMatch(message);
      }
    });

    test('PROJECT_NOT_FOUND', async () => {
      const missing = path.join(root, 'nowhere');
      const error = await agent.error('argus_init', { projectPath: missing });
      expect(error).toEqual({ code: 'PROJECT_NOT_FOUND', message: expect.stringContaining('does not exist') });
    });

    test('CONFIG_INVALID names key and line', async () => {
      writeFileSync(path.join(root, 'argus.yaml'), 'version: 1\ntest:\n  comand: x\n');
      const error = await agent.error('argus_init', { projectPath: root });
      expect(error).toEqual({ code: 'CONFIG_INVALID', message: expect.stringContaining('argus.yaml:3: test.comand') });
      writeFileSync(
        path.join(root, 'argus.yaml'),
        "classify:\n  rules:\n    - name: broken\n      category: TIMEOUT\n      pattern: '('\n",
      );
      const rule = await agent.error('argus_init', { projectPath: root });
      expect(rule).toEqual({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/argus\.yaml:5: classify\.rules\.0\.pattern: .*broken/u),
      });
    });

    test('NO_TEST_COMMAND', async () => {
      await open();
      const error = await agent.error('argus_run', { projectPath: root });
      expect(error).toEqual({ code: 'NO_TEST_COMMAND', message: expect.stringContaining('Pass command') });
    });

    test('REPORT_*', async () => {
      await open();
      mkdirSync(path.join(root, 'folder'));
      writeFileSync(path.join(root, 'binary.xml'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3]));
      writeFileSync(path.join(root, 'empty.xml'), '');
      const code = async (file: string) => (await agent.error('argus_import', { projectPath: root, path: file })).code;
      expect(await code('nothing.xml')).toBe('REPORT_NOT_FOUND');
      expect(await code('none/*.xml')).toBe('REPORT_NOT_FOUND');
      expect(await code('folder')).toBe('REPORT_NOT_FOUND');
      expect(await code('a\0b')).toBe('REPORT_NOT_FOUND');
      expect(await code('binary.xml')).toBe('REPORT_UNREADABLE');
      expect(await code('empty.xml')).toBe('REPORT_UNREADABLE');
    });
  });
});
