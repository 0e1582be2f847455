/**
 * Reads a loop back from its folder: the state as the rules accept it, the insight, and the output. The content is not
 * trusted. state-folder.ts writes the files.
 */

import { EngineError, type FixError, type FixState } from 'argus-engine';
import { z } from 'zod';
import { ArgusError } from '../../errors.ts';
import { readPart } from '../../system/files/read.ts';
import { lstat } from '../../system/files/way.ts';
import { visible } from '../../text/untrusted.ts';
import type { LoopContext } from '../loop-context.ts';
import type { Insight, LoopRecord } from '../report/record.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import { markBegun, requireBegun, requireOwnPlace } from './own-loops.ts';
import { StateFolder } from './state-folder.ts';

/** Part of a log that a report reads. */
const TAIL_BYTES = 32 * 1024;

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
    throw new EngineError(thrown.code, `${folder.file('state.json')}: ${thrown.message}`, { cause: thrown });
  }
}

/** Throws if the folder no longer has a state. */
export function stateOf(loopContext: LoopContext, folder: StateFolder, commandHash: string | undefined): FixState {
  const state = readState(loopContext, folder, commandHash);
  if (state === undefined) throw new ArgusError('LOOP_NOT_FOUND', `${folder.shown} holds no fix loop any more.`);
  return state;
}

/** Returns the folder for a new loop, or of the loop to continue. */
export async function folderToStart({ session }: LoopContext, commandHash: string): Promise<StateFolder> {
  const folder = new StateFolder(session.root, commandHash);
  await requireOwnPlace(session.root, folder);
  await (lstat(folder.path) !== undefined ? requireBegun(session.project, folder) : markBegun(session.project, folder));
  return folder;
}

/** Returns the folder of a loop (default: the loop that was used last). */
export async function existingFolder({ session }: LoopContext, commandHash: string | undefined): Promise<StateFolder> {
  const folder = commandHash === undefined ? StateFolder.newest(session.root) : folderOf(session.root, commandHash);
  await requireOwnPlace(session.root, folder);
  if (folder?.exists) {
    await requireBegun(session.project, folder);
    return folder;
  }
  const which = commandHash === undefined ? 'There is no fix loop' : `There is no fix loop '${visible(commandHash)}'`;
  throw new ArgusError('LOOP_NOT_FOUND', `${which} in ${session.root}. Begin one with fix_problem.`);
}

/** Undefined for a name that could lead to another folder. */
function folderOf(root: string, commandHash: string): StateFolder | undefined {
  return /^[0-9a-f]{8}$/u.test(commandHash) ? new StateFolder(root, commandHash) : undefined;
}

const text = () => z.string().nullable();
const texts = () => z.array(z.string());
const place = () =>
  z.looseObject({ file: z.string(), line: z.number().nullable(), column: z.number().nullable(), function: text() });

const findings = () => {
  const lists = { patterns: texts(), files: texts(), verification: texts(), alternatives: texts(), sources: texts() };
  return z.object({ description: text(), ...lists }).nullable();
};

/** The used part of an insight. An insight that does not match is collected again. */
const insightSchema = () =>
  z.object({
    attempt: z.number(),
    error: z.looseObject({
      error_type: z.string(),
      headline: z.string(),
      category: z.string(),
      error_class: z.string(),
      text: z.string(),
      prompt: text().optional(),
      failing_tests: z.array(z.string()),
      frames: z.array(place()),
      location: place().nullable(),
    }),
    context: z.array(
      z.object({
        number: z.number(),
        layer: z.string(),
        question: z.string(),
        answer: text(),
        why_not: text(),
        source: text(),
      }),
    ),
    location: text(),
    function: text(),
    frames: z.array(z.string()),
    missing: text(),
    uncommitted: text(),
    hypothesis: text(),
    query: text(),
    query_markdown: text(),
    known: z.array(z.object({ solution_id: z.string(), title: z.string(), steps: z.string(), why: z.string() })),
    lookup_id: text(),
    research: text(),
    findings: findings(),
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
  return insightSchema().safeParse(value).success;
}

export function newInsight(attempt: number, error: FixError): Insight {
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

/** Returns the end of an attempt's output, without secrets. */
export function readLog(folder: StateFolder, attempt: number): string {
  try {
    const bytes = readPart(folder.logPath(attempt), { maxBytes: TAIL_BYTES, links: 'refused' }, 'end');
    const text = bytes.toString('utf8');
    // The cut may be inside a character.
    return bytes.length < TAIL_BYTES ? text : text.replace(/^\ufffd+/u, '');
  } catch {
    return '';
  }
}

interface RecordParts extends Pick<LoopRecord, 'state' | 'outlook' | 'insight' | 'notes' | 'earlier' | 'diff'> {
  folder: StateFolder;
  snapshots: Snapshots;
}

export function recordOf(parts: RecordParts): LoopRecord {
  const { state, outlook, folder, snapshots, insight, notes, earlier, diff } = parts;
  const base = state.mode === 'error' ? state.host.base : null;
  const kept = state.attempts.flatMap(({ number, snapshot }) => (snapshot === null ? [] : [{ number, snapshot }]));
  const moments = base === null ? kept : [{ number: 0, snapshot: base }, ...kept];
  return {
    state,
    outlook,
    folder: folder.shown,
    insight,
    sources: state.host.research_sources,
    goingBack: moments.map(({ number, snapshot }) => ({ attempt: number, command: snapshots.howToGoBack(snapshot) })),
    earlier,
    diff,
    output: readLog(folder, state.attempts.at(-1)?.number ?? 0),
    notes: [...new Set(notes)],
  };
}
