/** argus_import: stores a run from report files that another program has written. `crates/report` parses the files. */

import { type Dirent, readdir } from 'node:fs';
import path from 'node:path';
import { EngineError, LIMITS, REPORT_FORMATS } from 'argus-engine';
import { getRunConditions } from '../environment/project-environment.ts';
import { ArgusError } from '../errors.ts';
import { completeGivenFacts, createCiFacts, readGitFacts } from '../run/git-state.ts';
import { getFolderInProject } from '../run/planning/test-command-location.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import { isWithin, stat } from '../system/files/path-safety.ts';
import { readPart, UnreadableFileError } from '../system/files/read.ts';
import type { Zod } from '../system/zod.ts';
import { fitRemarks } from './shared/answer-size.ts';
import { notStored, projectPath } from './shared/schemas.ts';
import { type AnswerOf, type Arguments, defineTool, type Output } from './shared/tool.ts';

/** A run has about one report per module. A glob that matches more files is a mistake. */
const MAX_FILES = 2_000;

/** The maximum number of unreadable parts in an answer over MCP. The command line prints all of them. */
const MAX_SKIPPED = 20;

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    path: z.string().min(1).describe('Report file or glob; relative to the project or absolute'),
    format: z.enum(REPORT_FORMATS).optional().describe('Default: detected; jest is also Vitest JSON'),
    commit: z.string().optional().describe('Commit of the run; default: the current work tree'),
    branch: z.string().optional(),
    dirty: z.boolean().optional(),
    tree: z.string().optional().describe('Id of the tree of files, such as git rev-parse HEAD^{tree}'),
    startedAt: z.iso.datetime({ offset: true }).optional(),
    environment: z.record(z.string(), z.string()).optional().describe('Conditions, such as {"os": "windows"}'),
  });

const output = { calls: ['recordRun'], omits: [], adds: notStored } as const satisfies Output;

export async function handleImport(
  params: Arguments<typeof input> & { foreign?: boolean | undefined },
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
): Promise<AnswerOf<typeof output>> {
  const session = await sessionManager.getOrThrow(params.projectPath);
  session.requireHistory();
  const files = await findReportFiles(session.root, params.path);
  for (const file of files) requireReadable(file, session.project.top);
  const { commit, branch, dirty, tree } = params;
  const passedFacts = await completeGivenFacts(session.root, { commit, branch, dirty, tree });
  const { value, notStored, warnings } = await session.recordRun({
    command: null,
    runner: null,
    startedAt: params.startedAt === undefined ? null : Date.parse(params.startedAt),
    durationMs: null,
    exitCode: null,
    signal: null,
    timedOut: false,
    folder: getFolderInProject(session.project, session.root),
    git: passedFacts ?? (await readGitFacts(session.root, files)) ?? createCiFacts(),
    foreign: params.foreign === true,
    environment: { ...(passedFacts === null ? getRunConditions(session.root) : {}), ...params.environment },
    reports: files.map((file) => ({ path: file, format: params.format ?? null })),
    outputTail: null,
    containers: [],
    notes: [],
  });
  return { ...notStored, ...value, notes: [...warnings, ...value.notes] };
}

/** Returns the named file, or the files that match the glob. */
export async function findReportFiles(root: string, pattern: string): Promise<string[]> {
  const literalPath = path.resolve(root, pattern);
  // `stat` also returns undefined for a name that contains NUL or is too long.
  const stats = stat(literalPath);
  if (stats?.isFile()) return [literalPath];
  if (stats)
    throw createReportNotFoundError(
      `'${pattern}' is not a file. Name a report file, or a glob such as ${pattern}/**/*.xml.`,
    );

  const { glob } = await import('tinyglobby');
  const normalized = pattern.replaceAll('\\', process.platform === 'win32' ? '/' : '\\');
  // Links are not followed. With a link to the root of the file system, the search would read the whole file system.
  const walkOptions = {
    expandDirectories: false,
    followSymbolicLinks: false,
    fs: { readdir: readFolderWithLinkedFiles },
  };
  const found = await glob(normalized, { cwd: root, absolute: true, dot: true, ...walkOptions });
  const [first] = found;
  if (first === undefined)
    throw createReportNotFoundError(`No report matches '${pattern}' in ${root}. Check the path.`);
  if (found.length > MAX_FILES)
    throw createReportNotFoundError(`'${pattern}' matches ${found.length} files, more than ${MAX_FILES}. Narrow it.`);
  return found.map((file) => path.normalize(file)).sort();
}

/**
 * Reports links to files as files. The glob then finds a report that is a link. `requireReadable` later rejects links
 * to files outside the project.
 */
const readFolderWithLinkedFiles = ((folder: string, options: { withFileTypes: true }, done: ReadDirectory) => {
  readdir(folder, options, (problem, entries) => {
    for (const entry of entries ?? []) {
      if (!entry.isSymbolicLink() || stat(path.join(folder, entry.name))?.isDirectory() === true) continue;
      entry.isFile = () => true;
    }
    done(problem, entries);
  });
}) as unknown as typeof readdir;

type ReadDirectory = (problem: NodeJS.ErrnoException | null, entries: Dirent[]) => void;

/**
 * A file in the project must not be a link to a file outside the project. A file outside the project is accepted,
 * because the caller named its path.
 */
function requireReadable(file: string, top: string): void {
  const links = isWithin(file, top) ? { links: { within: top } } : {};
  try {
    readPart(file, { maxBytes: 0, ...links }, 'beginning');
  } catch (thrown) {
    if (thrown instanceof UnreadableFileError)
      throw createReportNotFoundError(`${file} is not read: ${thrown.message}. Name a report file.`);
  }
  // The engine has the same limit, but it would first read the file up to that size.
  if ((stat(file)?.size ?? 0) <= LIMITS.MAX_REPORT_BYTES) return;
  throw new EngineError(
    'REPORT_TOO_LARGE',
    `${file} is larger than 256 MiB. Split the report, or import a part of it.`,
  );
}

function createReportNotFoundError(message: string): ArgusError {
  return new ArgusError('REPORT_NOT_FOUND', message);
}

export const importTool = defineTool({
  name: 'argus_import',
  title: 'Import test reports',
  description:
    'Use when tests ran elsewhere, such as in CI: records a run from report files (JUnit, CTRF, TRX, TAP, and the formats of most test runners).',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handle: handleImport,
  fit: (answer) => ({
    ...answer,
    notes: fitRemarks(answer.notes),
    skipped: answer.skipped.slice(0, MAX_SKIPPED),
  }),
});
