/**
 * `argus-quarantine.yaml` lists cases whose failures people accept for a while. The cases still run and are recorded,
 * but `argus gate` ignores their failures. The JSON Schema for editors (`argus-quarantine.schema.json`) is generated
 * from this file.
 */

import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { QUARANTINE_FILE } from 'argus-engine';
import { z } from 'zod';
import { getErrorMessage, getSystemCode } from '../errors.ts';
import { type BaseRevision, type BaseRevisionResult, readFileAtCommit } from '../git/base-revision.ts';
import type { Project } from '../owner/project.ts';
import { readText } from '../system/files/read.ts';
import { parseCheckedYaml } from './load.ts';

const MAX_TEXT_CHARS = 2_000;

const createTextSchema = () => z.string().min(1).max(MAX_TEXT_CHARS);

const createQuarantineSchema = () =>
  z.strictObject({
    version: z.literal(1).optional().describe('Version of this format'),
    cases: z
      .array(
        z.strictObject({
          case: createTextSchema().describe('Full name of the case, as argus history and argus gate print it'),
          reason: createTextSchema().describe('Reason why it is not fixed yet, such as the issue it waits for'),
          owner: createTextSchema().describe('Person or team that will fix it'),
          until: z.iso.date().describe('Last day on which the gate ignores its failures (UTC)'),
        }),
      )
      .describe('Cases whose failures do not fail argus gate'),
  });

type Quarantine = z.infer<ReturnType<typeof createQuarantineSchema>>;
export type QuarantinedCase = Quarantine['cases'][number];

export async function parseQuarantine(text: string, file: string): Promise<QuarantinedCase[]> {
  const { cases } = await parseCheckedYaml(text, file, createQuarantineSchema(), 'argus-quarantine.schema.json');
  return cases;
}

/** True after the last day of the entry. `today` is a UTC date in ISO 8601. */
export function isExpired({ until }: QuarantinedCase, today: string): boolean {
  return until < today;
}

/** Returns the JSON Schema for editors. */
export function createQuarantineJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(createQuarantineSchema(), { io: 'input' }),
    title: QUARANTINE_FILE,
    description: 'Cases whose failures do not fail argus gate until a date',
  };
}

/** A quarantine has a few lines, so a larger file is probably not a quarantine. */
const MAX_BYTES = 1024 * 1024;

/** Names of the cases that differ between two versions. */
interface QuarantineChange {
  added: string[];
  changed: string[];
  removed: string[];
}

export interface QuarantineVersions {
  /** Name of the version whose entries count, such as a branch. Null if no entries count. */
  from: string | null;
  /** Entries that count. */
  counting: QuarantinedCase[];
  /** Entries in the work tree, which will count after the merge. */
  here: QuarantinedCase[];
  change: QuarantineChange;
  /** An error in the file of the work tree. */
  problem: string | null;
  notes: string[];
}

/**
 * Reads the versions of the quarantine. The version that counts comes from the branch into which a change will be
 * merged, so that no change can excuse its own failures. The version in the work tree is compared with it. Git only
 * reads blobs, without filters.
 */
export async function readQuarantineVersions(
  { top }: Pick<Project, 'top'>,
  found: BaseRevisionResult,
): Promise<QuarantineVersions> {
  const fileInFolder = readWorkTreeVersion(top);
  const here = await parseVersion(fileInFolder);
  const { file, from, before, missing } = await readCommittedVersion(top, found);
  const base = await parseVersion(file);
  const isIgnored = from === null && fileInFolder !== null;
  const isInvalid = base.problem !== null && base.problem !== here.problem;
  return {
    from,
    counting: base.cases,
    here: here.cases,
    change: compareEntries((await parseVersion(before)).cases, here.problem === null ? here.cases : base.cases),
    problem: here.problem,
    notes: [
      ...(isIgnored ? [`Nothing is quarantined: ${missing}.`] : []),
      ...(isInvalid ? [`Nothing is quarantined, because the file on the base branch is invalid: ${base.problem}`] : []),
    ],
  };
}

/** The text of a version of the file, or the reason why it cannot be read. Null if the version has no such file. */
type FileVersion = { text: string } | { problem: string } | null;

interface CommittedVersion {
  /** Name of the version in messages. Null if there is no version. */
  from: string | null;
  file: FileVersion;
  /** The file at the commit where the checked-out branch left the base. */
  before: FileVersion;
  /** Reason why there is no version. */
  missing: string;
}

async function readCommittedVersion(top: string, base: BaseRevisionResult): Promise<CommittedVersion> {
  if (base === undefined) {
    const file = readWorkTreeVersion(top);
    return { from: 'this folder', file, before: file, missing: '' };
  }
  if ('missing' in base) return { from: null, file: null, before: null, missing: base.missing };
  const file = await readFileVersion(base, base.commit);
  const mergeBase = await findMergeBase(base);
  const before = mergeBase === base.commit ? file : await readFileVersion(base, mergeBase);
  return { from: base.name, file, before, missing: '' };
}

/** Returns the merge base. If the clone is too shallow to have it, returns the base itself. */
async function findMergeBase({ git, commit }: BaseRevision): Promise<string> {
  const { stdout, problem } = await git.run(['rev-parse', `${commit}...HEAD`]);
  if (problem !== null) return commit;
  return /^\^([0-9a-f]+)$/mu.exec(stdout)?.[1] ?? commit;
}

async function readFileVersion(base: BaseRevision, commit: string): Promise<FileVersion> {
  const file = await readFileAtCommit(base, commit, QUARANTINE_FILE, MAX_BYTES);
  return file?.cut === true ? TOO_LARGE_VERSION : file;
}

const TOO_LARGE_VERSION: FileVersion = { problem: `${QUARANTINE_FILE} is larger than 1 MiB.` };

function readWorkTreeVersion(top: string): FileVersion {
  try {
    return { text: readText(path.join(top, QUARANTINE_FILE), { maxBytes: MAX_BYTES, links: 'refused' }) };
  } catch (thrown) {
    if (getSystemCode(thrown) === 'ENOENT') return null;
    return { problem: `${QUARANTINE_FILE} cannot be read: ${getErrorMessage(thrown)}.` };
  }
}

async function parseVersion(written: FileVersion): Promise<{ cases: QuarantinedCase[]; problem: string | null }> {
  if (written === null) return { cases: [], problem: null };
  if ('problem' in written) return { cases: [], problem: written.problem };
  try {
    return { cases: await parseQuarantine(written.text, QUARANTINE_FILE), problem: null };
  } catch (thrown) {
    return { cases: [], problem: getErrorMessage(thrown).replace(' and call argus_init again', '') };
  }
}

function compareEntries(before: readonly QuarantinedCase[], after: readonly QuarantinedCase[]): QuarantineChange {
  const [old, now] = [indexByCase(before), indexByCase(after)];
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    changed: [...now.keys()].filter((name) => old.has(name) && !isDeepStrictEqual(old.get(name), now.get(name))),
    removed: [...old.keys()].filter((name) => !now.has(name)),
  };
}

function indexByCase(entries: readonly QuarantinedCase[]): Map<string, QuarantinedCase> {
  return new Map(entries.map((entry) => [entry.case, entry]));
}
