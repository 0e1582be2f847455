/** argus_import: records a run from report files that another program has written. `crates/report` parses them. */

import { type Dirent, readdir } from 'node:fs';
import path from 'node:path';
import { EngineError, LIMITS, REPORT_FORMATS } from 'argus-engine';
import { ArgusError } from '../errors.ts';
import { conditions } from '../run/conditions.ts';
import { ciFacts, gitFacts, givenFacts } from '../run/git-state.ts';
import { folderOf } from '../run/planning/test-place.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import { readPart, Unreadable } from '../system/files/read.ts';
import { isWithin, stat } from '../system/files/way.ts';
import type { Zod } from '../system/zod.ts';
import { fitRemarks } from './shared/budget.ts';
import type { AnswerOf, Output } from './shared/output.ts';
import { notStored, projectPath } from './shared/schemas.ts';
import { type Arguments, defineTool } from './shared/tool.ts';

/** A run has about one report per module, so a glob that matches more is a mistake. */
const MAX_FILES = 2_000;

/** The limit of unreadable parts in an answer over MCP. The command line prints all of them. */
const MAX_SKIPPED = 20;

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    path: z.string().min(1).describe('Report file or glob; relative to the project or absolute'),
    format: z.enum(REPORT_FORMATS).optional().describe('Default: told from the content; jest is also Vitest JSON'),
    commit: z.string().optional().describe('Of a run elsewhere; default: the work tree as it is now'),
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
  const files = await reportFiles(session.root, params.path);
  for (const file of files) requireReadable(file, session.project.top);
  const { commit, branch, dirty, tree } = params;
  const elsewhere = await givenFacts(session.root, { commit, branch, dirty, tree });
  const { value, notStored, warnings } = await session.recordRun({
    command: null,
    runner: null,
    startedAt: params.startedAt === undefined ? null : Date.parse(params.startedAt),
    durationMs: null,
    exitCode: null,
    signal: null,
    timedOut: false,
    folder: folderOf(session.project, session.root),
    git: elsewhere ?? (await gitFacts(session.root, files)) ?? ciFacts(),
    foreign: params.foreign === true,
    environment: { ...(elsewhere === null ? conditions(session.root) : {}), ...params.environment },
    reports: files.map((file) => ({ path: file, format: params.format ?? null })),
    outputTail: null,
    containers: [],
    notes: [],
  });
  return { ...notStored, ...value, notes: [...warnings, ...value.notes] };
}

/** The named file, otherwise the files that match the glob. */
async function reportFiles(root: string, pattern: string): Promise<string[]> {
  const literal = path.resolve(root, pattern);
  // A name that contains NUL or is too long is not a file either.
  const stats = stat(literal);
  if (stats?.isFile()) return [literal];
  if (stats) throw notFound(`'${pattern}' is not a file. Name a report file, or a glob such as ${pattern}/**/*.xml.`);

  const { glob } = await import('tinyglobby');
  const normalized = pattern.replaceAll('\\', process.platform === 'win32' ? '/' : '\\');
  // Links are not followed, because a link to the root of the file system would be walked too.
  const walk = { expandDirectories: false, followSymbolicLinks: false, fs: { readdir: readdirWithLinkedFiles } };
  const found = await glob(normalized, { cwd: root, absolute: true, dot: true, ...walk });
  const [first] = found;
  if (first === undefined) throw notFound(`No report matches '${pattern}' in ${root}. Check the path.`);
  if (found.length > MAX_FILES)
    throw notFound(`'${pattern}' matches ${found.length} files, more than ${MAX_FILES}. Narrow it.`);
  return found.map((file) => path.normalize(file)).sort();
}

/**
 * Reports links to files as files, so that glob finds a report that is a link. `requireReadable` then refuses links
 * that lead out of the project.
 */
const readdirWithLinkedFiles = ((folder: string, options: { withFileTypes: true }, done: ReadDirectory) => {
  readdir(folder, options, (problem, entries) => {
    for (const entry of entries ?? []) {
      if (!entry.isSymbolicLink() || stat(path.join(folder, entry.name))?.isDirectory() === true) continue;
      entry.isFile = () => true;
    }
    done(problem, entries);
  });
}) as unknown as typeof readdir;

type ReadDirectory = (problem: NodeJS.ErrnoException | null, entries: Dirent[]) => void;

/** A file of the project must not be a link that leads out of the project. A file elsewhere was named by its path. */
function requireReadable(file: string, top: string): void {
  const links = isWithin(file, top) ? { links: { within: top } } : {};
  try {
    readPart(file, { maxBytes: 0, ...links }, 'beginning');
  } catch (thrown) {
    if (thrown instanceof Unreadable) throw notFound(`${file} is not read: ${thrown.message}. Name a report file.`);
  }
  // The engine has the same limit, but it would read that far first.
  if ((stat(file)?.size ?? 0) <= LIMITS.MAX_REPORT_BYTES) return;
  throw new EngineError(
    'REPORT_TOO_LARGE',
    `${file} is larger than 256 MiB. Split the report, or import a part of it.`,
  );
}

function notFound(message: string): ArgusError {
  return new ArgusError('REPORT_NOT_FOUND', message);
}

export const importTool = defineTool({
  name: 'argus_import',
  title: 'Import test reports',
  description:
    'Record a run from report files (JUnit, CTRF, Jest, Vitest, Playwright, TAP, go test -json), such as those of CI.',
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
