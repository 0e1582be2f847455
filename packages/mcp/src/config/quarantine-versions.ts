/**
 * Chooses the version of the quarantine that counts. It is read from the branch that a change will be merged into, so
 * that no change can excuse its own failures. The version in the work tree is compared with it. Git only reads blobs,
 * without filters.
 */

import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { QUARANTINE_FILE } from 'argus-engine';
import { messageOf, systemCodeOf } from '../errors.ts';
import { type BaseRevision, type FoundBase, fileAt } from '../git/base-revision.ts';
import type { Project } from '../owner/project.ts';
import { readText } from '../system/files/read.ts';
import { parseQuarantine, type QuarantinedCase } from './quarantine.ts';

/** A quarantine is a few lines, so a larger file is probably another file. */
const MAX_BYTES = 1024 * 1024;

/** Names of cases whose entries differ. */
export interface QuarantineChange {
  added: string[];
  changed: string[];
  removed: string[];
}

export interface QuarantineVersions {
  /** The source of the entries that count. Null without such entries. */
  from: string | null;
  /** The entries that count. */
  counting: QuarantinedCase[];
  /** The entries in the work tree, which will count after the merge. */
  here: QuarantinedCase[];
  change: QuarantineChange;
  /** An error in the file of the work tree. */
  problem: string | null;
  notes: string[];
}

export async function quarantineVersions({ top }: Pick<Project, 'top'>, found: FoundBase): Promise<QuarantineVersions> {
  const inFolder = fileIn(top);
  const here = await read(inFolder);
  const { file, from, before, missing } = await committed(top, found);
  const base = await read(file);
  const isMissed = from === null && inFolder !== null;
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

/** A version of the file, or the reason why it cannot be read. Null if the version has no such file. */
type Written = { text: string } | { problem: string } | null;

interface CommittedVersion {
  /** The name of the version for messages. Null without a version. */
  from: string | null;
  file: Written;
  /** The file at the commit where this branch left the base. */
  before: Written;
  /** The reason why the version is missing. */
  missing: string;
}

async function committed(top: string, base: FoundBase): Promise<CommittedVersion> {
  if (base === undefined) {
    const file = fileIn(top);
    return { from: 'this folder', file, before: file, missing: '' };
  }
  if ('missing' in base) return { from: null, file: null, before: null, missing: base.missing };
  const file = await written(base, base.commit);
  const left = await whereLeft(base);
  const before = left === base.commit ? file : await written(base, left);
  return { from: base.name, file, before, missing: '' };
}

/** The merge base. Returns the base itself if the clone is too shallow to find it. */
async function whereLeft({ git, commit }: BaseRevision): Promise<string> {
  const { stdout, problem } = await git.run(['rev-parse', `${commit}...HEAD`]);
  if (problem !== null) return commit;
  return /^\^([0-9a-f]+)$/mu.exec(stdout)?.[1] ?? commit;
}

async function written(base: BaseRevision, commit: string): Promise<Written> {
  const file = await fileAt(base, commit, QUARANTINE_FILE, MAX_BYTES);
  return file?.cut === true ? TOO_LARGE : file;
}

const TOO_LARGE: Written = { problem: `${QUARANTINE_FILE} is larger than 1 MiB.` };

function fileIn(top: string): Written {
  try {
    return { text: readText(path.join(top, QUARANTINE_FILE), { maxBytes: MAX_BYTES, links: 'refused' }) };
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
