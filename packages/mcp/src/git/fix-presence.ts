/**
 * Finds out whether the change that fixed a failure is still in the work tree, and otherwise which commit removed it.
 * Only a clear answer is given: the lines that the change added and removed must all be as after the change, or all as
 * before it. Code that was rewritten in between gives no answer.
 */

import path from 'node:path';
import type { FixPresence, PreviousFix } from 'argus-engine';
import { tryReadText } from '../system/files/read.ts';
import { Git } from './git.ts';

const LIMITS = { timeoutMs: 3_000, maxBytes: 4 * 1024 * 1024 } as const;

/** Limits of a change that is compared, and of the commits after it that may have removed it. */
const MAX_FILES = 5;
const MAX_CHANGED_LINES = 400;
const MAX_LATER_COMMITS = 300;
const MAX_FILE_BYTES = 1024 * 1024;

const HASH = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u;

/** Files of tests, which usually stay although the change of the source is gone. */
export const TEST_FILE = /(?:^|\/)(?:tests?|spec|__tests__)\/|(?:^|[/._-])(?:test|spec)[._-]|[._-](?:test|spec)\.\w+$/u;

/** Changed lines of a place in a file, without indentation. */
interface Hunk {
  added: string[];
  removed: string[];
}

interface ChangedFile {
  name: string;
  hunks: Hunk[];
  before: LineCounts;
  after: LineCounts;
}

type LineCounts = ReadonlyMap<string, number>;
type State = 'present' | 'lost' | 'unclear';

/**
 * Returns undefined without a clear answer, for example if several commits may be the fix. `top` is the folder of the
 * repository.
 */
export async function findFixPresence(
  top: string,
  { commit, commits }: Pick<PreviousFix, 'commit' | 'commits'>,
): Promise<FixPresence | undefined> {
  if (commit === undefined || commits > 1 || !HASH.test(commit)) return undefined;
  const git = new Git(top, LIMITS.timeoutMs);
  const files = await readChange(git, commit);
  if (files === undefined) return undefined;
  const readNow = (name: string) => tryReadText(path.join(top, name), { maxBytes: MAX_FILE_BYTES, links: 'refused' });
  const states = await Promise.all(files.map((file) => compareFile(git, file, readNow(file.name))));
  const state = joinStates(states.flat());
  if (state !== 'lost' && state !== 'partlyLost') return state && { state };
  const [removedBy, reapply] = await Promise.all([
    state === 'lost' ? findRemovingCommit(git, commit, files) : undefined,
    checkPatch(git, commit, files),
  ]);
  return { state, ...(removedBy && { removedBy }), ...(reapply && { reapply }) };
}

/** Reads the changes of a commit in source files. Returns undefined for a merge, a large change, or no such commit. */
async function readChange(git: Git, commit: string): Promise<ChangedFile[] | undefined> {
  const args = ['-r', '-p', '-U0', '--no-renames', '--no-commit-id', '--diff-filter=AM', commit] as const;
  const { stdout, problem, cut } = await git.run(['diff-tree', ...args], LIMITS);
  if (problem !== null || cut) return undefined;
  const parsed = parseDiff(stdout);
  const sources = parsed.filter(({ name }) => !TEST_FILE.test(name));
  const chosen = sources.length > 0 ? sources : parsed;
  const lines = chosen.flatMap(({ hunks }) => hunks.flatMap(({ added, removed }) => [...added, ...removed]));
  if (chosen.length === 0 || chosen.length > MAX_FILES || lines.length > MAX_CHANGED_LINES) return undefined;
  const names = chosen.flatMap(({ name }) => [`${commit}^:${name}`, `${commit}:${name}`]);
  const contents = await readBlobs(git, names);
  return chosen.map((file, index) => ({
    ...file,
    before: countLines(contents[index * 2] ?? ''),
    after: countLines(contents[index * 2 + 1] ?? ''),
  }));
}

function parseDiff(diff: string): Pick<ChangedFile, 'name' | 'hunks'>[] {
  const files: Pick<ChangedFile, 'name' | 'hunks'>[] = [];
  for (const line of diff.split('\n')) {
    const name = /^\+\+\+ b\/(.+?)\t?$/u.exec(line)?.[1];
    const file = files.at(-1);
    if (name !== undefined) files.push({ name, hunks: [] });
    else if (line.startsWith('@@')) file?.hunks.push({ added: [], removed: [] });
    else if (/^[+-](?![+-]{2} )/u.test(line) && isSignificant(line.slice(1)))
      file?.hunks.at(-1)?.[line.startsWith('+') ? 'added' : 'removed'].push(normalizeLine(line.slice(1)));
  }
  return files.filter(({ hunks }) => hunks.some(({ added, removed }) => added.length + removed.length > 0));
}

/** False for lines such as `}`, which are everywhere. */
function isSignificant(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line);
}

function normalizeLine(line: string): string {
  return line.trim().replaceAll(/\s+/gu, ' ');
}

function countLines(content: string): LineCounts {
  const counts = new Map<string, number>();
  for (const line of content.split('\n').map(normalizeLine)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** Compares each hunk of a file. If the file or its new lines are elsewhere now, they are searched for. */
async function compareFile(git: Git, file: ChangedFile, now: string | undefined): Promise<State[]> {
  return Promise.all(
    file.hunks.map(async (hunk) => {
      const state = now === undefined ? 'lost' : compareHunk(file, hunk, now);
      if (state !== 'lost') return state;
      const moved = await findLine(git, hunk.added, file.name);
      if (moved) return 'present';
      return now === undefined ? 'unclear' : 'lost';
    }),
  );
}

/**
 * Compares the number of each changed line with its numbers before and after the change. If all added lines are there,
 * the removed lines do not matter, because they may have been added at another place.
 */
function compareHunk(file: ChangedFile, { added, removed }: Hunk, content: string): State {
  const now = countLines(content);
  const ofAdded = compareLines(file, added, now);
  const ofRemoved = compareLines(file, removed, now);
  if (ofAdded === 'present' || ofAdded === ofRemoved) return ofAdded ?? 'unclear';
  if (ofAdded !== undefined && ofRemoved !== undefined) return 'unclear';
  const only = ofAdded ?? ofRemoved ?? 'unclear';
  // A formatter may have joined or split the lines.
  if (only === 'lost' && added.length > 0 && compact(content).includes(compact(added.join('')))) return 'present';
  return only;
}

/** Returns undefined if the change did not change the number of any of the lines. */
function compareLines({ before, after }: ChangedFile, lines: readonly string[], now: LineCounts): State | undefined {
  const states = new Set<State>();
  for (const line of new Set(lines)) {
    const [old, fresh, here] = [before, after, now].map((counts) => counts.get(line) ?? 0) as [number, number, number];
    if (old === fresh) continue;
    const isAsAfter = fresh > old ? here >= fresh : here <= fresh;
    const isAsBefore = fresh > old ? here <= old : here >= old;
    states.add(isAsAfter ? 'present' : isAsBefore ? 'lost' : 'unclear');
  }
  const [only, ...others] = states;
  return others.length > 0 ? 'unclear' : only;
}

/** Removes what a formatter changes: white space, quotes, commas, semicolons and parentheses. */
function compact(text: string): string {
  return text.replaceAll(/[\s'"`,;()]+/gu, '');
}

/** True if another file of the work tree has the longest of these lines. */
async function findLine(git: Git, lines: readonly string[], exceptFile: string): Promise<boolean> {
  const [longest] = lines.toSorted((one, other) => other.length - one.length);
  if (longest === undefined || longest.length < MIN_SEARCHED_CHARACTERS) return false;
  const args = ['-F', '-l', '-e', longest, '--', ':(top)', `:(top,exclude,literal)${exceptFile}`] as const;
  const { stdout, problem } = await git.run(['grep', ...args], LIMITS);
  return problem === null && stdout.trim() !== '';
}

/** A shorter line may be in an unrelated file. */
const MIN_SEARCHED_CHARACTERS = 12;

function joinStates(states: readonly State[]): FixPresence['state'] | undefined {
  if (states.includes('unclear') || states.length === 0) return undefined;
  const [isPresent, isLost] = [states.includes('present'), states.includes('lost')];
  if (isPresent && isLost) return 'partlyLost';
  return isLost ? 'lost' : 'present';
}

/**
 * Returns the newest commit without the change whose parent has it. Undefined if the change was never on this branch, or
 * if the last commit still has it, so that an uncommitted edit removed it.
 */
async function findRemovingCommit(
  git: Git,
  commit: string,
  files: readonly ChangedFile[],
): Promise<string | undefined> {
  const range = ['--ancestry-path', '--topo-order', `--max-count=${MAX_LATER_COMMITS}`, `${commit}..HEAD`] as const;
  const { stdout, problem } = await git.run(['log', '--format=%H %P', '--no-patch', ...range, '--'], LIMITS);
  if (problem !== null) return undefined;
  const later = stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')]));
  const hashes = later.map(([hash = '']) => hash);
  const contents = await readBlobs(
    git,
    hashes.flatMap((hash) => files.map(({ name }) => `${hash}:${name}`)),
  );
  const getState = (index: number) => {
    const states = files.flatMap((file, at) => {
      const content = contents[index * files.length + at];
      return file.hunks.map((hunk) => (content === undefined ? 'unclear' : compareHunk(file, hunk, content)));
    });
    return joinStates(states);
  };
  const states = new Map(hashes.map((hash, index) => [hash, getState(index)]));
  const hasChange = (hash: string) => hash === commit || states.get(hash) === 'present';
  return later.find(([hash = '', ...parents]) => states.get(hash) === 'lost' && parents.some(hasChange))?.[0];
}

/** Returns the contents of blobs, named as `COMMIT:PATH`. Undefined for a blob that does not exist or is large. */
async function readBlobs(git: Git, names: readonly string[]): Promise<(string | undefined)[]> {
  if (names.length === 0 || names.some((name) => name.includes('\n'))) return [];
  const sizes = await runBatch(git, '--batch-check', names);
  const ids = sizes.split('\n').map((line) => {
    const [id, type, size] = line.split(' ');
    return type === 'blob' && Number(size) <= MAX_FILE_BYTES ? id : undefined;
  });
  const wanted = [...new Set(ids.filter((id) => id !== undefined))];
  const output = wanted.length === 0 ? '' : await runBatch(git, '--batch', wanted);
  const contents = new Map<string, string>();
  for (let offset = 0; offset < output.length; ) {
    const end = output.indexOf('\n', offset);
    const [id = '', , size] = output.slice(offset, end).split(' ');
    const content = output.slice(end + 1, end + 1 + Number(size));
    contents.set(id, Buffer.from(content, 'latin1').toString('utf8'));
    offset = end + 1 + Number(size) + 1;
  }
  return names.map((_, index) => contents.get(ids[index] ?? ''));
}

/** The output is latin1, so that its characters are bytes. Empty if git fails. */
async function runBatch(git: Git, option: '--batch' | '--batch-check', lines: readonly string[]): Promise<string> {
  const stdin = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const { stdout, problem, cut } = await git.run(['cat-file', option], { ...BATCH_LIMITS, stdin });
  return problem !== null || cut ? '' : stdout;
}

const BATCH_LIMITS = { timeoutMs: 3_000, maxBytes: 64 * 1024 * 1024, encoding: 'latin1' } as const;

/** Returns the command that applies the change again in any folder of the project, if its patch applies. */
async function checkPatch(git: Git, commit: string, files: readonly ChangedFile[]): Promise<string | undefined> {
  const names = files.map(({ name }) => name);
  const args = ['-r', '-p', '--no-renames', '--no-commit-id', commit, '--', ...names] as const;
  const patch = await git.run(['diff-tree', ...args], { ...LIMITS, encoding: 'latin1' });
  if (patch.problem !== null || patch.cut) return undefined;
  const { problem } = await git.run(['apply', '--check', '-'], {
    ...LIMITS,
    stdin: Buffer.from(patch.stdout, 'latin1'),
  });
  // A name with other characters would need quotes that differ between shells.
  if (problem !== null || names.some((name) => !/^[\w./@+-]+$/u.test(name))) return undefined;
  const paths = names.map((name) => `:/${name}`).join(' ');
  return `git show ${commit.slice(0, 12)} -- ${paths} | git apply`;
}

/** Tells whether the change is still in the work tree. `formatCommit` names the commit that removed it. */
export function describePresence({ state, removedBy }: FixPresence, formatCommit: (commit: string) => string): string {
  if (state === 'present') return 'that change is still in place, so the cause is elsewhere';
  const since = removedBy === undefined ? '' : ` since ${formatCommit(removedBy)}`;
  return `${state === 'lost' ? 'that change is no longer in the tree' : 'parts of that change are gone'}${since}`;
}
