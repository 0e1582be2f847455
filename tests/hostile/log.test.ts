/** The log of unexpected errors, where somebody else was there first. */
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
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { enveloped } from '../../packages/mcp/src/answer.ts';
import { project } from '../e2e/harness.ts';

const posix = process.platform !== 'win32';
const isRoot = process.geteuid?.() === 0;

/** A user that is not the one of the test. */
const OTHER_UID = 65_534;

let folder: string;
let file: string;
let said: string;
beforeEach(() => {
  const state = project();
  vi.stubEnv('ARGUS_LOG_DIR', undefined);
  vi.stubEnv('XDG_STATE_HOME', state);
  folder = path.join(state, 'argus');
  file = path.join(folder, 'argus.log');
  said = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const mode = (name: string) => statSync(name).mode & 0o777;

/** What an agent is told of an error that nobody expected. */
async function failure(): Promise<string> {
  const envelope = await enveloped(() => Promise.reject(new Error('the flux broke')));
  if (envelope.success) throw new Error('it should have failed');
  return envelope.error.message;
}

/** The error is on stderr, and the answer says so. */
async function refused(reason: string): Promise<void> {
  expect(await failure()).toContain("details are in the server's stderr");
  expect(said).toContain('the flux broke');
  expect(said).toContain(reason);
}

test.skipIf(process.platform !== 'linux')("it lies in the platform's folder and is its owner's alone", async () => {
  const before = process.umask(0);
  try {
    expect(await failure()).toContain(file);
  } finally {
    process.umask(before);
  }
  expect(readFileSync(file, 'utf8')).toContain('the flux broke');
  expect([mode(folder), mode(file)]).toEqual([0o700, 0o600]);
  expect(said).toBe('');
});

test.skipIf(!posix)('an older one that others may read is closed to them', async () => {
  mkdirSync(folder);
  writeFileSync(file, 'before\n');
  chmodSync(folder, 0o777);
  chmodSync(file, 0o666);
  await failure();
  expect([mode(folder), mode(file)]).toEqual([0o700, 0o600]);
  expect(readFileSync(file, 'utf8')).toMatch(/^before\n.*the flux broke/u);
});

test.skipIf(!posix)('a folder that somebody names keeps its rights, and one made for the log is closed', async () => {
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  const made = path.join(folder, 'made');
  for (const given of [folder, made]) {
    vi.stubEnv('ARGUS_LOG_DIR', given);
    expect(await failure()).toContain(path.join(given, 'argus.log'));
  }
  expect([mode(folder), mode(file), mode(made)]).toEqual([0o777, 0o600, 0o700]);
});

test.skipIf(!posix)('no link is followed, to a file that is there or is not', async () => {
  mkdirSync(folder);
  const victim = path.join(project({ victim: 'mine' }), 'victim');
  symlinkSync(victim, file);
  await refused('ELOOP');
  expect(readFileSync(victim, 'utf8')).toBe('mine');
  symlinkSync(path.join(project(), 'planted'), `${folder}.log`);
  vi.stubEnv('ARGUS_LOG_DIR', `${folder}.log`);
  await refused('ENOENT');
});

test.skipIf(!posix)('a folder that is a link is refused', async () => {
  const elsewhere = project();
  symlinkSync(elsewhere, folder);
  await refused('is no folder');
  expect(existsSync(path.join(elsewhere, 'argus.log'))).toBe(false);
});

test.skipIf(!posix)('a file with a second name is left alone', async () => {
  mkdirSync(folder);
  const victim = path.join(project({ victim: 'mine' }), 'victim');
  linkSync(victim, file);
  await refused('has a second name');
  expect(readFileSync(victim, 'utf8')).toBe('mine');
});

test.skipIf(!posix)('a pipe is no file, and is not waited for', async () => {
  mkdirSync(folder);
  spawnSync('mkfifo', [file]);
  await refused('ENXIO');
});

test.skipIf(!posix || !isRoot)('what belongs to another user is left alone', async () => {
  mkdirSync(folder);
  writeFileSync(file, '');
  chownSync(file, OTHER_UID, OTHER_UID);
  await refused('belongs to another user');
  expect(readFileSync(file, 'utf8')).toBe('');
  chownSync(folder, OTHER_UID, OTHER_UID);
  await refused('belongs to another user');
});

test.skipIf(process.platform !== 'linux')('a folder named by no absolute path is none', async () => {
  vi.stubEnv('XDG_STATE_HOME', 'state');
  await refused('is no absolute path');
  expect(existsSync('state')).toBe(false);
});
