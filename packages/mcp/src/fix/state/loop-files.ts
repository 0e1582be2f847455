/**
 * Reads a loop from its folder: the state, which the rules check, the insight, and the output. The content is not
 * trusted. state-folder.ts writes the files.
 */

import { EngineError, type FixError, type FixState } from 'argus-engine';
import { z } from 'zod';
import { ArgusError } from '../../errors.ts';
import { tryLstat } from '../../system/files/path-safety.ts';
import { readPart } from '../../system/files/read.ts';
import { removeInvisibleCharacters } from '../../text/untrusted-text.ts';
import type { LoopContext } from '../loop-context.ts';
import type { Insight, LoopRecord } from '../report/loop-record.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import { markAsStarted, requireSafeLocation, requireStartedByUser, StateFolder } from './state-folder.ts';

/** Number of bytes at the end of a log that a report reads. */
const MAX_LOG_TAIL_BYTES = 32 * 1024;

export function readState(
  loopContext: LoopContext,
  folder: StateFolder,
  commandHash: string | undefined,
): FixState | undefined {
  const text = folder.readState();
  if (text === undefined) return undefined;
  try {
    return loopContext.rules.readState(text, commandHash);
  } catch (thrown) {
    if (!(thrown instanceof EngineError)) throw thrown;
    throw new EngineError(thrown.code, `${folder.getPath('state.json')}: ${thrown.message}`, { cause: thrown });
  }
}

/** Reads the state of a loop. Throws if the folder has no state. */
export function requireState(loopContext: LoopContext, folder: StateFolder, commandHash: string | undefined): FixState {
  const state = readState(loopContext, folder, commandHash);
  if (state === undefined)
    throw new ArgusError('LOOP_NOT_FOUND', `${folder.projectRelativePath} does not contain a fix loop any more.`);
  return state;
}

/** Returns the folder of a new loop, or of the loop to continue. */
export async function openFolderToStart({ session }: LoopContext, commandHash: string): Promise<StateFolder> {
  const folder = new StateFolder(session.root, commandHash);
  await requireSafeLocation(session.root, folder);
  await (tryLstat(folder.path) !== undefined
    ? requireStartedByUser(session.project, folder)
    : markAsStarted(session.project, folder));
  return folder;
}

/** Returns the folder of a loop. The default is the loop that was used last. */
export async function findExistingFolder(
  { session }: LoopContext,
  commandHash: string | undefined,
): Promise<StateFolder> {
  const folder =
    commandHash === undefined ? StateFolder.findNewest(session.root) : getLoopFolder(session.root, commandHash);
  await requireSafeLocation(session.root, folder);
  if (folder?.exists) {
    await requireStartedByUser(session.project, folder);
    return folder;
  }
  const which =
    commandHash === undefined
      ? 'No fix loop was found'
      : `The fix loop '${removeInvisibleCharacters(commandHash)}' was not found`;
  throw new ArgusError('LOOP_NOT_FOUND', `${which} in ${session.root}. Start a loop with fix_problem.`);
}

/** Returns undefined for a hash that could be a path to another folder. */
function getLoopFolder(root: string, commandHash: string): StateFolder | undefined {
  return /^[0-9a-f]{8}$/u.test(commandHash) ? new StateFolder(root, commandHash) : undefined;
}

const createTextSchema = () => z.string().nullable();
const createTextsSchema = () => z.array(z.string());
const createFrameSchema = () =>
  z.looseObject({
    file: z.string(),
    line: z.number().nullable(),
    column: z.number().nullable(),
    function: createTextSchema(),
  });

const createFindingsSchema = () => {
  const lists = {
    patterns: createTextsSchema(),
    files: createTextsSchema(),
    verification: createTextsSchema(),
    alternatives: createTextsSchema(),
    sources: createTextsSchema(),
  };
  return z.object({ description: createTextSchema(), ...lists }).nullable();
};

/** Schema of the parts of an insight that are used. If a stored insight does not match, it is collected again. */
const createInsightSchema = () =>
  z.object({
    attempt: z.number(),
    error: z.looseObject({
      error_type: z.string(),
      headline: z.string(),
      category: z.string(),
      error_class: z.string(),
      text: z.string(),
      prompt: createTextSchema().optional(),
      failing_tests: z.array(z.string()),
      frames: z.array(createFrameSchema()),
      location: createFrameSchema().nullable(),
    }),
    context: z.array(
      z.object({
        number: z.number(),
        layer: z.string(),
        question: z.string(),
        answer: createTextSchema(),
        why_not: createTextSchema(),
        source: createTextSchema(),
      }),
    ),
    location: createTextSchema(),
    function: createTextSchema(),
    frames: z.array(z.string()),
    missing: createTextSchema(),
    uncommitted: createTextSchema(),
    hypothesis: createTextSchema(),
    query: createTextSchema(),
    query_markdown: createTextSchema(),
    known: z.array(z.object({ solution_id: z.string(), title: z.string(), steps: z.string(), why: z.string() })),
    lookup_id: createTextSchema(),
    research: createTextSchema(),
    findings: createFindingsSchema(),
    sources: z.array(z.string()),
    notes: z.array(z.string()),
  });

export function readInsight(folder: StateFolder): Insight | null {
  try {
    const parsed: unknown = JSON.parse(folder.read('insight.json') ?? 'null');
    return isInsight(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isInsight(value: unknown): value is Insight {
  return createInsightSchema().safeParse(value).success;
}

export function createEmptyInsight(attempt: number, error: FixError): Insight {
  const nothing = { location: null, function: null, hypothesis: null, query: null, query_markdown: null };
  const more = {
    frames: [],
    missing: null,
    uncommitted: null,
    known: [],
    lookup_id: null,
    research: null,
    findings: null,
    sources: [],
    notes: [],
  };
  return { attempt, error, context: [], ...nothing, ...more };
}

/** Returns the end of an attempt's output. The log was redacted when it was written. */
export function readEndOfLog(folder: StateFolder, attempt: number): string {
  try {
    const bytes = readPart(folder.getLogPath(attempt), { maxBytes: MAX_LOG_TAIL_BYTES, links: 'refused' }, 'end');
    const text = bytes.toString('utf8');
    // The first bytes may be part of a character.
    return bytes.length < MAX_LOG_TAIL_BYTES ? text : text.replace(/^\ufffd+/u, '');
  } catch {
    return '';
  }
}

interface RecordParts extends Pick<LoopRecord, 'state' | 'nextStep' | 'insight' | 'notes' | 'earlier' | 'diff'> {
  folder: StateFolder;
  snapshots: Snapshots;
}

export function createLoopRecord(parts: RecordParts): LoopRecord {
  const { state, nextStep, folder, snapshots, insight, notes, earlier, diff } = parts;
  const base = state.mode === 'error' ? state.host.base : null;
  const kept = state.attempts.flatMap(({ number, snapshot }) => (snapshot === null ? [] : [{ number, snapshot }]));
  const restorable = base === null ? kept : [{ number: 0, snapshot: base }, ...kept];
  return {
    state,
    nextStep,
    folder: folder.projectRelativePath,
    insight,
    sources: state.host.research_sources,
    goingBack: restorable.map(({ number, snapshot }) => ({
      attempt: number,
      command: snapshots.createRestoreCommand(snapshot),
    })),
    earlier,
    diff,
    output: readEndOfLog(folder, state.attempts.at(-1)?.number ?? 0),
    notes: [...new Set(notes)],
  };
}
