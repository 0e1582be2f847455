/**
 * Annotations of GitHub, which show each cause of failures at its line in the code. Failures that make the gate fail
 * come first.
 */

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { QUARANTINE_FILE } from 'argus-engine';
import { formatVerdict } from '../../format/failures/verdict-text.ts';
import { formatQuarantineChanges, type GateFailure, type GateResult } from '../../format/report/gate.ts';
import type { Session } from '../../sessions/session.ts';
import { isWithin } from '../../system/files/path-safety.ts';
import { io } from '../../system/io.ts';
import { clip } from '../../text/untrusted-text.ts';
import { readFailedCase } from './previous-fixes.ts';

const MAX_NAMES = 5;
const MAX_HEADLINE_CHARS = 500;

export async function collectAnnotations(
  session: Session,
  gate: GateResult,
  unwritten: readonly string[],
): Promise<Annotation[]> {
  const { runId, failing, problems, reported, quarantined } = gate;
  const changes = formatQuarantineChanges(gate);
  const annotationWith = (level: Annotation['level'], title: string) => (message: string) => ({
    level,
    title,
    message,
  });
  const annotateCauses = async (level: Annotation['level'], failures: readonly GateFailure[]) =>
    Promise.all(groupByCause(failures).map((cause) => annotateCause(session, runId, level, cause)));
  return [
    ...problems.map(annotationWith('error', 'Argus: gate')),
    ...(await annotateCauses('error', failing)),
    ...(changes.length === 0
      ? []
      : [
          {
            ...annotationWith('warning', 'Argus: the quarantine changes')(changes.join('\n')),
            file: QUARANTINE_FILE,
            line: 1,
          },
        ]),
    ...(await annotateCauses('warning', reported)),
    ...(await annotateCauses('warning', quarantined)),
    ...[...gate.notes, ...unwritten].map(annotationWith('warning', 'Argus')),
  ];
}

function groupByCause(failures: readonly GateFailure[]): GateFailure[][] {
  const causes = new Map<string, GateFailure[]>();
  for (const one of failures) {
    const key = one.causeId ?? JSON.stringify([one.headline, one.category]);
    const cause = causes.get(key);
    if (cause === undefined) causes.set(key, [one]);
    else cause.push(one);
  }
  return [...causes.values()].slice(0, MAX_ANNOTATIONS);
}

async function annotateCause(
  session: Session,
  runId: string,
  level: Annotation['level'],
  failures: readonly GateFailure[],
): Promise<Annotation> {
  const [first] = failures;
  const { verdict = null, headline = '', caseName = '' } = first ?? {};
  const names = failures.slice(0, MAX_NAMES).map((one) => one.caseName);
  const more = failures.length > MAX_NAMES ? [`and ${failures.length - MAX_NAMES} more`] : [];
  return {
    level,
    title: `Argus: ${verdict === null ? 'failed' : formatVerdict(verdict)}`,
    message: [clip(headline, MAX_HEADLINE_CHARS), ...names, ...more].join('\n'),
    ...(await findSourceLine(session, runId, caseName)),
  };
}

/**
 * Returns the file and line of a failure: in the code under test if known, otherwise in the test. Returns an empty
 * object if neither is a file of the repository.
 */
async function findSourceLine(
  session: Session,
  runId: string,
  caseName: string,
): Promise<{ file?: string; line?: number }> {
  const { place: sourcePlace, testPlace } = (await readFailedCase(session, runId, caseName)) ?? {};
  for (const place of [sourcePlace, testPlace]) {
    const [, file = '', line] = /^(.+?)(?::(\d+))?(?::\d+)?$/u.exec(place ?? '') ?? [];
    const found = file === '' ? undefined : getPathInCheckout(session.project.top, file);
    if (found !== undefined) return { file: found, ...(line === undefined ? {} : { line: Number(line) }) };
  }
  return {};
}

/**
 * Returns the path of a file from the root of the checkout (GITHUB_WORKSPACE), because GitHub resolves the paths of
 * annotations from there. Returns undefined for a file outside the repository.
 */
function getPathInCheckout(top: string, file: string): string | undefined {
  const whole = path.resolve(top, file);
  if (!isWithin(whole, top) || !existsSync(whole)) return undefined;
  const { GITHUB_WORKSPACE: workspace } = io().env;
  const root = workspace !== undefined && isWithin(top, workspace) ? workspace : top;
  return path.relative(root, whole).replaceAll(path.sep, '/');
}

/*
 * Workflow commands, which GitHub's runner reads from the output of a step: annotations, and a guard that keeps the
 * names and output of tests from acting as commands.
 */

/** Maximum number of annotations for each level in a step. The runner drops more without a message. */
const MAX_ANNOTATIONS = 10;

export interface Annotation {
  level: 'error' | 'warning';
  title: string;
  message: string;
  /** Path from the root of the repository. */
  file?: string;
  line?: number;
}

/** Returns the workflow commands for the first annotations of each level. */
export function formatAnnotations(annotations: readonly Annotation[]): string[] {
  const takeFirst = (level: Annotation['level']) =>
    annotations.filter((one) => one.level === level).slice(0, MAX_ANNOTATIONS);
  return [...takeFirst('error'), ...takeFirst('warning')].map(formatWorkflowCommand);
}

function formatWorkflowCommand({ level, title, message, file, line }: Annotation): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${escapeProperty(file)}`]),
    ...(file === undefined || line === undefined ? [] : [`line=${line}`]),
    `title=${escapeProperty(title)}`,
  ];
  return `::${level} ${properties.join(',')}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Returns the two lines that begin and end a section of the output in which the runner ignores commands. */
export function createCommandGuard(): { begin: string; end: string } {
  const token = randomUUID();
  return { begin: `::stop-commands::${token}\n`, end: `::${token}::\n` };
}
