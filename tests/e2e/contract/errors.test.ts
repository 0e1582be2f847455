/** Every error code a tool answers for its arguments or its project. A damaged database: bad-input.test.ts. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Data, ERAS } from '../harness.ts';
import { contract } from './contract.ts';

const hasSqlite = spawnSync('sqlite3', ['--version']).status === 0;

describe.each(ERAS)('%s', (era) => {
  const at = contract(era);
  const { open, importReport, failedRun } = at;

  test('SESSION_NOT_FOUND', async () => {
    const { agent, root } = at;
    const args = { projectPath: root, runId: 'run-1', caseName: 'a', fixDescription: 'b', path: 'mixed.xml' };
    const tools: [string, (keyof typeof args)[]][] = [
      ['argus_run', []],
      ['argus_import', ['path']],
      ['argus_history', []],
      ['argus_diagnose', ['runId', 'caseName']],
      ['argus_report_fix', ['runId', 'caseName', 'fixDescription']],
      ['argus_patterns', []],
      ['argus_tests', []],
    ];
    for (const [tool, names] of tools) {
      const needed = Object.fromEntries(['projectPath' as const, ...names].map((name) => [name, args[name]]));
      const { code, message } = await agent.error(tool, needed);
      expect({ tool, code }).toEqual({ tool, code: 'SESSION_NOT_FOUND' });
      expect(message).toContain('Call argus_init');
    }
  });

  test('HISTORY_DISABLED', async () => {
    const { agent, root } = at;
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
      await of('argus_tests'),
    ];
    expect(errors.map(({ code }) => code)).toEqual(Array(7).fill('HISTORY_DISABLED'));
    expect(errors[0]?.message).toContain('Set history.enabled to true');
    expect(existsSync(path.join(root, '.argus'))).toBe(false);
    writeFileSync(path.join(root, 'argus.yaml'), '{}\n');
    expect(await open(), 'a changed configuration is taken over').toMatchObject({ historyEnabled: true });
  });

  test('RUN_NOT_FOUND', async () => {
    const { agent, root } = at;
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
    const { agent, root } = at;
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
    const { agent, root } = at;
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
    const { agent, root } = at;
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
      ['argus_tests', { projectPath: root, state: 'slow' }, /state/u],
    ];
    for (const [tool, args, message] of bad) {
      const error = await agent.error(tool, args);
      expect({ tool, args, code: error.code }).toEqual({ tool, args, code: 'INVALID_INPUT' });
      expect(error.message).toMatch(message);
    }
  });

  test('PROJECT_NOT_FOUND', async () => {
    const { agent, root } = at;
    const missing = path.join(root, 'nowhere');
    const error = await agent.error('argus_init', { projectPath: missing });
    expect(error).toEqual({ code: 'PROJECT_NOT_FOUND', message: expect.stringContaining('does not exist') });
  });

  test('CONFIG_INVALID names key and line', async () => {
    const { agent, root } = at;
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
    const { agent, root } = at;
    await open();
    const error = await agent.error('argus_run', { projectPath: root });
    expect(error).toEqual({ code: 'NO_TEST_COMMAND', message: expect.stringContaining('Pass command') });
  });

  test('COMMAND_FAILED', async () => {
    const { agent, root } = at;
    await open();
    // Linux gives one argument 128 KiB, other systems the whole command line 1 MiB or less.
    const tooLong = `echo ${'x'.repeat(1_500_000)}`;
    const failed = async (command: string) => {
      const { code, message } = await agent.error('argus_run', { projectPath: root, command });
      expect(code).toBe('COMMAND_FAILED');
      expect(message.length, 'the command is not repeated').toBeLessThan(300);
      return message;
    };
    expect(await failed(tooLong)).toContain('Put it into a script');
    expect(await failed('echo \0')).toContain('NUL');
    expect(await agent.data('argus_history', { projectPath: root }), 'nothing was recorded').toMatchObject({
      total: 0,
    });
    rmSync(root, { recursive: true });
    expect(await failed('echo')).toContain(`${root} is gone. Call argus_init`);
    expect(existsSync(root), 'and stays gone').toBe(false);
  });

  test('REPORT_*', async () => {
    const { agent, root } = at;
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
    writeFileSync(path.join(root, 'huge.xml'), '<testsuite name="huge">');
    truncateSync(path.join(root, 'huge.xml'), 1024 ** 3);
    expect(await code('huge.xml')).toBe('REPORT_TOO_LARGE');
  });

  test.skipIf(!hasSqlite)('DATABASE_LOCKED', async () => {
    const { agent, root } = at;
    const { runId, unknown: caseName } = await failedRun();
    const holder = spawn('sqlite3', [path.join(root, '.argus', 'argus.db')]);
    holder.stdin.write("BEGIN EXCLUSIVE;\nSELECT 'held';\n");
    await once(holder.stdout, 'data');
    const args = { projectPath: root, runId, caseName, fixDescription: 'waited' };
    const { code, message } = await agent.error('argus_report_fix', args);
    expect(code).toBe('DATABASE_LOCKED');
    expect(message).not.toBe('');
    holder.stdin.end('ROLLBACK;\n');
    await once(holder, 'exit');
    await agent.data('argus_report_fix', args);
  });
});
