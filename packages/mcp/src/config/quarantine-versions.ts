/**
 * Which quarantine counts: the one of the branch that a change is to go to, so that no change excuses its own failures.
 * What the work tree says is compared with it. Git only reads blobs, unfiltered.
 */

import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { QUARANTINE_FILE } from 'argus-engine';
import { messageOf, systemCodeOf } from '../errors.ts';
import { Git } from '../git/git.ts';
import { commitOf } from '../git/history.ts';
import { type Repository, repositoryOf } from '../git/repository.ts';
import type { Project } from '../owner/project.ts';
import { parseQuarantine, type QuarantinedCase } from './quarantine.ts';

/** By hand it is a few lines; past this it is some other file. */
const MAX_BYTES = 1024 * 1024;

/** Where the change comes from and goes to, as far as it is known. */
export interface QuarantineBase {
  /** A branch or a whole hash; none: what is committed here, outside of CI. */
  base: string | null;
  /** Nothing that is checked out here may count by itself. */
  isInCi: boolean;
  /** Where the base is not in the clone, what is checked out is the base: this is a run of that very branch. */
  isOfBase: boolean;
}

/** Entries by case. */
export interface QuarantineChange {
  added: string[];
  changed: string[];
  removed: string[];
}

export interface QuarantineVersions {
  /** Where the entries that count are from; null: nowhere. */
  from: string | null;
  /** These count. */
  counting: QuarantinedCase[];
  /** What will count once the change is taken in; the same where nothing is changed. */
  here: QuarantinedCase[];
  change: QuarantineChange;
  /** What is wrong with the file here. */
  problem: string | null;
  notes: string[];
}

export async function quarantineVersions(
  { top }: Pick<Project, 'top'>,
  asked: QuarantineBase,
): Promise<QuarantineVersions> {
  const written = fileIn(top);
  const here = await read(written);
  const { file, from, before, missing } = await committed(top, asked);
  const base = await read(file);
  const isMissed = from === null && written !== null;
  const isInvalid = base.problem !== null && base.problem !== here.problem;
  return {
    from,
    counting: base.cases,
    here: here.cases,
    change: changeOf((await read(before)).cases, here.problem === null ? here.cases : base.cases),
    problem: here.problem,
    notes: [
      ...(isMissed ? [`Nothing is quarantined: ${missing}.`] : []),
      ...(isInvalid
        ? [`Nothing is quarantined, for the file where the change is to go is wrong: ${base.problem}`]
        : []),
    ],
  };
}

/** A version of the file; null where it has none, and why it cannot be read where that is so. */
type Written = { text: string } | { problem: string } | null;

interface CommittedVersion {
  /** In words; null where there is none to go by. */
  from: string | null;
  file: Written;
  /** As the file was where this branch left the base. */
  before: Written;
  /** Why there is none. */
  missing: string;
}

async function committed(top: string, { base, isInCi, isOfBase }: QuarantineBase): Promise<CommittedVersion> {
  const none = (missing: string): CommittedVersion => ({ from: null, file: null, before: null, missing });
  const repository = await repositoryOf(top);
  if (typeof repository === 'string') return none(`the repository here is not read (${repository})`);
  if (repository === undefined) {
    if (isInCi || base !== null) return none('there is no git repository here to read it from');
    const file = fileIn(top);
    return { from: 'this folder', file, before: file, missing: '' };
  }
  const git = new Git(repository.top);
  if (base === null && isInCi) return none('this service does not say where the change is to go: name it with --base');
  const commit = base === null || isOfBase ? await baseOrHead(git, base) : await commitOfBranch(git, base);
  if (commit === null)
    return none(
      `${base ?? 'HEAD'} is not in this clone: git fetch --depth=1 origin +refs/heads/${base}:refs/remotes/origin/${base}`,
    );
  const file = await blob(git, commit, repository);
  const left = await whereLeft(git, commit);
  const before = left === commit ? file : await blob(git, left, repository);
  return { from: `${base ?? 'HEAD'} (${commit.slice(0, 12)})`, file, before, missing: '' };
}

async function baseOrHead(git: Git, base: string | null): Promise<string | null> {
  return (base === null ? null : await commitOfBranch(git, base)) ?? (await commitOf(git, 'HEAD'));
}

/** What the server said last of the branch comes before a branch of that name here. */
async function commitOfBranch(git: Git, base: string): Promise<string | null> {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(base)) return commitOf(git, base);
  for (const place of ['refs/remotes/origin/', 'refs/remotes/', 'refs/heads/']) {
    const commit = await commitOf(git, `${place}${base}`);
    if (commit !== null) return commit;
  }
  return null;
}

/** The newest commit that both have; the base itself where the clone is too shallow to tell. */
async function whereLeft(git: Git, commit: string): Promise<string> {
  const { stdout, problem } = await git.run(['rev-parse', `${commit}...HEAD`]);
  if (problem !== null) return commit;
  return /^\^([0-9a-f]+)$/mu.exec(stdout)?.[1] ?? commit;
}

/** A link is the text of where it leads, which is no quarantine. */
async function blob(git: Git, commit: string, { prefix }: Repository): Promise<Written> {
  const { stdout, cut, problem } = await git.run(['cat-file', 'blob', `${commit}:${prefix}${QUARANTINE_FILE}`], {
    maxBytes: MAX_BYTES,
  });
  if (problem !== null) return null;
  return cut ? TOO_LARGE : { text: stdout };
}

const TOO_LARGE: Written = { problem: `${QUARANTINE_FILE} is larger than 1 MiB.` };

function fileIn(top: string): Written {
  try {
    const file = path.join(top, QUARANTINE_FILE);
    const stats = lstatSync(file);
    if (!stats.isFile()) return { problem: `${QUARANTINE_FILE} is no ordinary file.` };
    return stats.size > MAX_BYTES ? TOO_LARGE : { text: readFileSync(file, 'utf8') };
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'ENOENT') return null;
    return { problem: `${QUARANTINE_FILE} cannot be read: ${messageOf(thrown)}.` };
  }
}

async function read(written: Written): Promise<{ cases: QuarantinedCase[]; problem: string | null }> {
  if (written === null) return { cases: [], problem: null };
  if ('problem' in written) return { cases: [], problem: written.problem };
  try {
    return { cases: await parseQuarantine(written.text, QUARANTINE_FILE), problem: null };
  } catch (thrown) {
    return { cases: [], problem: messageOf(thrown).replace(' and call argus_init again', '') };
  }
}

function changeOf(before: readonly QuarantinedCase[], after: readonly QuarantinedCase[]): QuarantineChange {
  const [old, now] = [byCase(before), byCase(after)];
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    changed: [...now.keys()].filter((name) => old.has(name) && !isDeepStrictEqual(old.get(name), now.get(name))),
    removed: [...old.keys()].filter((name) => !now.has(name)),
  };
}

function byCase(entries: readonly QuarantinedCase[]): Map<string, QuarantinedCase> {
  return new Map(entries.map((entry) => [entry.case, entry]));
}
