/** The log of unexpected errors, in a folder that another user or program wrote to first. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { runInEnvelope } from '../../packages/mcp/src/answer.ts';
import { io, withIo } from '../../packages/mcp/src/system/io.ts';
import { createProject } from '../e2e/harness.ts';

const isRootUser = process.geteuid?.() === 0;
const OTHER_UID = 65_534;

/** A user whose platform folder for logs does not exist yet. */
class LogUser {
  readonly state = createProject();
  readonly folder = path.join(this.state, 'argus');
  readonly file = path.join(this.folder, 'argus.log');
  readonly victim = path.join(createProject({ victim: 'mine' }), 'victim');

  /** Causes an unexpected error. Returns its message and the text on stderr. */
  async failure(env: Record<string, string> = {}): Promise<{ message: string; stderr: string }> {
    const stderr = new PassThrough();
    const own = { ...io(), env: { XDG_STATE_HOME: this.state, ...env }, stderr };
    const envelope = await withIo(own, () => runInEnvelope(() => Promise.reject(new Error('the flux broke'))));
    if (envelope.success) throw new Error('it should have failed');
    return { message: envelope.error.message, stderr: String(stderr.read() ?? '') };
  }
}

const readFileMode = (name: string) => statSync(name).mode & 0o777;

describe.runIf(process.platform === 'linux')('the log', () => {
  test("the log is in the platform's folder, and only its owner can open it", async () => {
    const it = new LogUser();
    const before = process.umask(0);
    try {
      expect(await it.failure()).toEqual({ message: expect.stringContaining(it.file), stderr: '' });
    } finally {
      process.umask(before);
    }
    expect(readFileSync(it.file, 'utf8')).toContain('the flux broke');
    expect([readFileMode(it.folder), readFileMode(it.file)]).toEqual([0o700, 0o600]);
  });

  test('access of others to an older log is removed', async () => {
    const it = new LogUser();
    mkdirSync(it.folder);
    writeFileSync(it.file, 'before\n');
    chmodSync(it.folder, 0o777);
    chmodSync(it.file, 0o666);
    await it.failure();
    expect([readFileMode(it.folder), readFileMode(it.file)]).toEqual([0o700, 0o600]);
    expect(readFileSync(it.file, 'utf8')).toMatch(/^before\n.*the flux broke/u);
  });

  test('an existing ARGUS_LOG_DIR keeps its permissions, and a missing folder is created as private', async () => {
    const it = new LogUser();
    mkdirSync(it.folder);
    chmodSync(it.folder, 0o777);
    const made = path.join(it.folder, 'made');
    for (const given of [it.folder, made]) {
      expect((await it.failure({ ARGUS_LOG_DIR: given })).message).toContain(path.join(given, 'argus.log'));
    }
    expect([readFileMode(it.folder), readFileMode(it.file), readFileMode(made)]).toEqual([0o777, 0o600, 0o700]);
  });
});

const inLogFolder = (plant: (it: LogUser) => void) => (it: LogUser) => {
  mkdirSync(it.folder);
  plant(it);
};

describe.runIf(process.platform === 'linux')('the error goes to stderr', () => {
  test.for<[name: string, plant: (it: LogUser) => void, reason: string]>([
    ['the file is a link', inLogFolder((it) => symlinkSync(it.victim, it.file)), 'ELOOP'],
    ['the file has a second hard link', inLogFolder((it) => linkSync(it.victim, it.file)), 'has a second hard link'],
    ['the file is a pipe', inLogFolder((it) => void spawnSync('mkfifo', [it.file])), 'ENXIO'],
    ['the folder is a link', (it) => symlinkSync(path.dirname(it.victim), it.folder), 'is not a folder'],
    ['the folder is a link to nothing', (it) => symlinkSync(path.join(it.state, 'gone'), it.folder), 'ENOENT'],
  ])('where %s', async ([, plant, reason]) => {
    const it = new LogUser();
    plant(it);
    const { message, stderr } = await it.failure();
    expect(message).toContain("see the server's stderr for details");
    expect(stderr).toContain('the flux broke');
    expect(stderr).toContain(reason);
    expect(readFileSync(it.victim, 'utf8')).toBe('mine');
    const elsewhere = [path.join(path.dirname(it.victim), 'argus.log'), path.join(it.state, 'gone')];
    expect(elsewhere.filter(existsSync)).toEqual([]);
  });

  test('an error is reported if the log folder has no absolute path', async () => {
    const { stderr } = await new LogUser().failure({ XDG_STATE_HOME: 'state' });
    expect(stderr).toContain('is not an absolute path');
    expect(existsSync('state')).toBe(false);
  });

  test.runIf(isRootUser)('where the file or the folder belongs to another user', async () => {
    const it = new LogUser();
    mkdirSync(it.folder);
    writeFileSync(it.file, '');
    for (const place of [it.file, it.folder]) {
      chownSync(place, OTHER_UID, OTHER_UID);
      expect((await it.failure()).stderr).toContain('belongs to another user');
      expect(readFileSync(it.file, 'utf8')).toBe('');
    }
  });
});
