/**
 * Tests every error code that a tool returns for its arguments or its project, and codes that need more than a wrong
 * argument. Other tests check ids of the debug memory (memory/memory.test.ts), databases (protocol/bad-input.test.ts)
 * and fix loops (fix-loop/fix-input.test.ts).
 */

import fs, { existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { type Engine, openEngine, type RecordRunParams } from 'argus-engine';
import { v7 as uuidV7 } from 'uuid';
import { expect, onTestFinished, test, vi } from 'vitest';
import { lockDatabase } from '../database-lock.ts';
import { createProject, type Data } from '../harness.ts';
import { createContractProject } from './contract.ts';

/** The tools that use the memory of a project, with minimal arguments. */
const TOOL_ARGUMENTS: Record<string, Data> = {
  argus_run: { command: 'exit 1' },
  argus_import: { path: 'mixed.xml' },
  argus_history: {},
  argus_diagnose: { runId: 'run-1', caseName: 'a' },
  argus_report_fix: { runId: 'run-1', caseName: 'a', fixDescription: 'b' },
  argus_patterns: {},
  argus_tests: {},
};

test('SESSION_NOT_FOUND until the project is opened', async () => {
  const { error } = createContractProject();
  for (const [tool, args] of Object.entries(TOOL_ARGUMENTS)) {
    const { code, message } = await error(tool, args);
    expect({ tool, code }).toEqual({ tool, code: 'SESSION_NOT_FOUND' });
    expect(message).toContain('Call argus_init');
  }
});

test('HISTORY_DISABLED until the configuration is changed', async () => {
  const { root, open, error } = createContractProject({ 'argus.yaml': 'history: { enabled: false }\n' });
  expect(await open()).toMatchObject({ historyEnabled: false, knownPatterns: 0, latestRunId: null });
  for (const [tool, args] of Object.entries(TOOL_ARGUMENTS)) {
    const { code, message } = await error(tool, args);
    expect({ tool, code }).toEqual({ tool, code: 'HISTORY_DISABLED' });
    expect(message).toContain('Set history.enabled to true');
  }
  expect(existsSync(path.join(root, '.argus'))).toBe(false);
  writeFileSync(path.join(root, 'argus.yaml'), '{}\n');
  expect(await open()).toMatchObject({ historyEnabled: true });
});

test('RUN_NOT_FOUND names the existing runs', async () => {
  const { error, failedRun } = createContractProject();
  const { runId } = await failedRun();
  const message = expect.stringMatching(new RegExp(`^Test run 'run-xyz' not found in history.*${runId}`, 'u'));
  for (const [tool, args] of [
    ['argus_diagnose', { caseName: 'a' }],
    ['argus_report_fix', { caseName: 'a', fixDescription: 'b' }],
    ['argus_history', {}],
  ] as const) {
    expect(await error(tool, { ...args, runId: 'run-xyz' })).toEqual({ code: 'RUN_NOT_FOUND', message });
  }
});

test('CASE_NOT_FOUND names the closest case', async () => {
  const { error, failedRun } = createContractProject();
  const { runId } = await failedRun();
  for (const tool of ['argus_diagnose', 'argus_report_fix']) {
    const answer = await error(tool, { ...TOOL_ARGUMENTS[tool], runId, caseName: 'health-chek' });
    expect(answer).toEqual({ code: 'CASE_NOT_FOUND', message: expect.stringContaining('health-check') });
  }
});

test('CASE_NOT_FAILED names the run in which the case failed', async () => {
  const { error, failedRun, importReport } = createContractProject();
  const { runId } = await failedRun();
  const fix = { runId, fixDescription: 'b' };
  for (const caseName of ['lists users', 'pays']) {
    expect((await error('argus_diagnose', { runId, caseName })).code).toBe('CASE_NOT_FAILED');
    expect((await error('argus_report_fix', { ...fix, caseName })).code).toBe('CASE_NOT_FAILED');
  }
  const passed = await importReport('passed.xml');
  const { message } = await error('argus_report_fix', { ...fix, runId: passed.runId, caseName: 'health-check' });
  expect(message).toContain(runId);
});

const FIX_ARGUMENTS = { runId: 'r', caseName: 'c', fixDescription: 'f' };

test.each<[tool: string, args: Data, message: RegExp]>([
  ['argus_init', { projectPath: undefined }, /projectPath/u],
  ['argus_init', { projectPath: 'relative/path' }, /absolute/u],
  ['argus_init', { config: 'x' }, /Unrecognized key.*Arguments of argus_init: projectPath, configFile/u],
  ['argus_run', { timeoutSeconds: 0 }, /timeoutSeconds/u],
  ['argus_run', { command: 'make', filter: 'x' }, /filter does not work/u],
  ['argus_import', { path: 'mixed.xml', format: 'nose' }, /format/u],
  ['argus_history', { limit: 101 }, /limit/u],
  ['argus_history', { runId: 'run-1', days: 1 }, /Do not pass them together/u],
  ['argus_diagnose', { runId: 'run-1' }, /caseName/u],
  ['argus_report_fix', { ...FIX_ARGUMENTS, fixDescription: ' ' }, /fixDescription/u],
  ['argus_report_fix', { ...FIX_ARGUMENTS, success: 'yes' }, /success/u],
  ['argus_patterns', { category: 'FLAKY' }, /category/u],
  ['argus_patterns', { limit: 201 }, /limit/u],
  ['argus_patterns', { projectPath: 'relative' }, /absolute/u],
  ['argus_tests', { state: 'slow' }, /state/u],
  ['argus_tests', { caseName: 'adds', since: 'abcdef1' }, /since/u],
  ['argus_tests', { caseName: 'adds', state: 'flaky' }, /state/u],
  ['argus_tests', { since: 'abcdef1', name: 'adds' }, /name/u],
])('INVALID_INPUT: %s %j', async (tool, args, message) => {
  const { open, error } = createContractProject();
  await open();
  expect(await error(tool, args)).toEqual({ code: 'INVALID_INPUT', message: expect.stringMatching(message) });
});

test.each([
  ['an unknown key', 'version: 1\ntest:\n  comand: x\n', /argus\.yaml:3: test\.comand/u],
  [
    'a broken pattern',
    "classify:\n  rules:\n    - name: broken\n      category: TIMEOUT\n      pattern: '('\n",
    /argus\.yaml:5: classify\.rules\.0\.pattern: .*broken/u,
  ],
])('CONFIG_INVALID names the line of %s', async (_name, config, message) => {
  const { error } = createContractProject({ 'argus.yaml': config });
  const answer = await error('argus_init');
  expect(answer).toEqual({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) });
});

test('PROJECT_NOT_FOUND, INVALID_INPUT for a file, and NO_TEST_COMMAND', async () => {
  const { root, open, error } = createContractProject();
  const missing = await error('argus_init', { projectPath: path.join(root, 'nowhere') });
  expect(missing).toEqual({ code: 'PROJECT_NOT_FOUND', message: expect.stringContaining('does not exist') });
  const file = await error('argus_init', { projectPath: path.join(root, 'mixed.xml') });
  expect(file).toEqual({ code: 'INVALID_INPUT', message: expect.stringContaining('is a file') });
  await open();
  const unknown = await error('argus_run');
  expect(unknown).toEqual({ code: 'NO_TEST_COMMAND', message: expect.stringContaining('Pass command') });
});

test('COMMAND_FAILED, and no run is recorded', async () => {
  const { root, open, data, error } = createContractProject();
  await open();
  // Longer than every limit: 128 KiB for an argument on Linux, and at most 1 MiB for a command line on other systems.
  const tooLong = `echo ${'x'.repeat(1_500_000)}`;
  const failed = async (command: string) => {
    const { code, message } = await error('argus_run', { command });
    expect(code).toBe('COMMAND_FAILED');
    expect(message.length, 'the command is not repeated').toBeLessThan(300);
    return message;
  };
  expect(await failed(tooLong)).toContain('Put it into a script');
  expect(await failed('echo \0')).toContain('NUL');
  expect(await data('argus_history')).toMatchObject({ total: 0 });
  rmSync(root, { recursive: true });
  expect(await failed('echo')).toContain(`${root} does not exist any more. Call argus_init`);
  expect(existsSync(root), 'and stays gone').toBe(false);
});

test('REPORT_NOT_FOUND, REPORT_UNREADABLE and REPORT_TOO_LARGE', async () => {
  const { root, open, error } = createContractProject({ 'empty.xml': '', 'huge.xml': '<testsuite name="huge">' });
  await open();
  mkdirSync(path.join(root, 'folder'));
  writeFileSync(path.join(root, 'binary.xml'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3]));
  truncateSync(path.join(root, 'huge.xml'), 1024 ** 3);
  const codes: Record<string, string[]> = {
    REPORT_NOT_FOUND: ['nothing.xml', 'none/*.xml', 'folder', 'a\0b'],
    REPORT_UNREADABLE: ['binary.xml', 'empty.xml'],
    REPORT_TOO_LARGE: ['huge.xml'],
  };
  for (const [code, files] of Object.entries(codes)) {
    for (const file of files) expect(await error('argus_import', { path: file })).toMatchObject({ code });
  }
});

const FAILED_RUN: RecordRunParams = {
  command: 'make',
  exitCode: 2,
  timedOut: false,
  reports: [],
  containers: [],
  notes: [],
};

/** Runs `work` while every write fails with ENOSPC. */
async function runOnFullDisk<T>(work: () => Promise<T>): Promise<T> {
  const full = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  });
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    full.mockRestore();
    syncBuiltinESMExports();
  }
}

test.each<[code: string, call: (engine: Engine, databasePath: string) => Promise<unknown>]>([
  ['PATTERN_NOT_FOUND', (engine) => engine.pattern({ id: 'pat-nope' })],
  [
    'CALL_REPEATED',
    async (engine) => {
      const callId = uuidV7();
      await engine.call('recordRun', FAILED_RUN, callId);
      await engine.call('recordRun', FAILED_RUN, callId);
    },
  ],
  [
    'DATABASE_READ_ONLY',
    async (_engine, databasePath) => {
      const reader = await openEngine({ databasePath, projectRoot: '/', readOnly: true });
      await reader.recordRun(FAILED_RUN).finally(() => reader.close());
    },
  ],
  [
    'DATABASE_LOCKED',
    async (_engine, databasePath) => {
      onTestFinished(lockDatabase(databasePath));
      const other = await openEngine({ databasePath, projectRoot: '/', isImpatient: true });
      await other.recordRun(FAILED_RUN).finally(() => other.close());
    },
  ],
  ['DATABASE_FULL', (engine) => runOnFullDisk(() => engine.recordRun(FAILED_RUN))],
])('%s of the engine', async (code, call) => {
  const databasePath = path.join(createProject(), 'argus.db');
  const engine = await openEngine({ databasePath, projectRoot: '/' });
  onTestFinished(() => engine.close());
  await engine.recordRun(FAILED_RUN);
  await expect(call(engine, databasePath)).rejects.toMatchObject({ code });
});
