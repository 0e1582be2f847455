/**
 * The command `share`: writes the part of this memory that can be shared into the repository. The engine's call
 * `shareWrite` selects that part and the texts to leave out. The options are in share-program.ts.
 */

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import type { ChosenFix, MachineNames, SharedFileContent } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import { formatShareCheck, formatShareResult, type ShareCheckResult, type ShareResult } from '../../format/memory.ts';
import { findTrustedDataFolder, getSystemHomeFolder } from '../../owner/data-folder.ts';
import { readSharedFiles, SHARED_FOLDER } from '../../owner/shared-files.ts';
import type { Session } from '../../sessions/session.ts';
import { DRAFT_SUFFIX, writeFileAtomically } from '../../system/files/atomic-file.ts';
import { findObstacle, tryLstat } from '../../system/files/path-safety.ts';
import { tryReadText } from '../../system/files/read.ts';
import { getUserHomeFolder } from '../../system/io.ts';
import { toShortLine } from '../../text/untrusted-text.ts';
import { readFixDetails } from '../failures/tool-commands.ts';
import { EXIT_CODES } from '../terminal/exit.ts';
import { type GlobalOptions, runProjectCommand } from '../terminal/output.ts';

export interface ShareOptions extends GlobalOptions {
  as?: string;
  fix?: string[];
  dryRun?: boolean;
}

/** Maximum number of changed files that a shared fix names. */
const MAX_NAMED_FILES = 10;

export async function share(options: ShareOptions): Promise<void> {
  await runProjectCommand(options, ({ session }) => writeShared(session, options), formatShareResult, {
    exitCode: ({ leftOut }) => (leftOut.length > 0 ? EXIT_CODES.failures : EXIT_CODES.done),
  });
}

async function writeShared(session: Session, { as, fix = [], dryRun = false }: ShareOptions): Promise<ShareResult> {
  const { top, home } = session.project;
  const data = await findTrustedDataFolder(top, home);
  const author = (as ?? readPseudonym(data))?.trim() || null;
  const present = readSharedFiles(top).files.map((file) => file.path);
  const found = await Promise.all(fix.map((id) => describeCommitFix(session, id)));
  const { value, warnings } = await session.readLocal((engine) =>
    engine.shareWrite({ by: author, present, found, machine: getMachineNames(session) }),
  );
  if (!dryRun) {
    // Store the name only here, after the engine has accepted it.
    if (as !== undefined) writePseudonym(data, as.trim());
    writeSharedFiles(top, value.files);
  }
  return {
    dryRun,
    by: author,
    files: value.files.map((file) => `${SHARED_FOLDER}/${file.path}`),
    ...(dryRun ? { contents: value.files.map(({ text }) => text) } : {}),
    present: present.length,
    leftOut: value.leftOut,
    doubts: value.doubts,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** Describes a fix from a commit by its title and its files, which the repository's history contains anyway. */
async function describeCommitFix(session: Session, fixId: string): Promise<ChosenFix> {
  const { found, change, notShown } = await readFixDetails(session, fixId);
  if (found === null) {
    const advice = 'Reported fixes are shared automatically once a run has proved them.';
    throw new ArgusError('INVALID_INPUT', `'${toShortLine(fixId)}' was not found in a commit. ${advice}`);
  }
  if (found.commit === undefined || change === null) {
    const reason = notShown ?? 'It is an edit that is not committed yet.';
    throw new ArgusError('INVALID_INPUT', `'${toShortLine(fixId)}' cannot be shared. ${reason}`);
  }
  const files = change.files.slice(0, MAX_NAMED_FILES).join(', ');
  return { fixId, fix: `${change.title.trim()}\n\nCommit ${found.commit}, which changed ${files || 'no file'}.` };
}

/** Returns names of this machine that must not appear in a shared file. */
function getMachineNames({ project: { top, home, root } }: Session): MachineNames {
  const host = hostname();
  const [short = host] = host.split('.');
  return {
    roots: [...new Set([top, home, root])],
    home: getUserHomeFolder() || getSystemHomeFolder(),
    hosts: [...new Set([host, short])],
  };
}

/**
 * Writes each file completely or not at all. Never writes through a link, because the folder comes from the repository.
 */
function writeSharedFiles(top: string, files: readonly SharedFileContent[]): void {
  for (const { path: name, text } of files) {
    const file = path.join(top, SHARED_FOLDER, ...name.split('/'));
    const link = [path.dirname(path.dirname(file)), path.dirname(file)].find((folder) =>
      tryLstat(folder)?.isSymbolicLink(),
    );
    const obstacle = link === undefined ? findObstacle(top, file)?.text : `${path.relative(top, link)} is a link`;
    if (obstacle !== undefined) throw new ArgusError('INVALID_INPUT', `${obstacle}, so nothing is written there.`);
    mkdirSync(path.dirname(file), { recursive: true });
    const draft = `${file}${DRAFT_SUFFIX}`;
    try {
      rmSync(draft, { force: true });
      writeFileSync(draft, text, { flag: 'wx' });
      renameSync(draft, file);
    } finally {
      rmSync(draft, { force: true });
    }
  }
}

/** The command `share --check`: lists problems of the files that the repository shares. It needs no memory. */
export async function checkSharedFiles(options: GlobalOptions): Promise<void> {
  await runProjectCommand(
    options,
    async ({ session }): Promise<ShareCheckResult> => {
      const { files, faults } = readSharedFiles(session.project.top);
      const engine = await session.openRulesEngine();
      const { faults: contentFaults, doubts } = await engine.shareCheck({ files });
      return {
        files: files.length,
        faults: [...faults, ...contentFaults].sort((a, b) => (a.path < b.path ? -1 : 1)),
        doubts,
      };
    },
    formatShareCheck,
    { exitCode: ({ faults }) => (faults.length > 0 ? EXIT_CODES.failures : EXIT_CODES.done) },
  );
}

const PSEUDONYM_FILE = 'pseudonym';
const MAX_PSEUDONYM_BYTES = 64 * 1024;

/**
 * Returns the name with which a user signs shared files, from the user's data folder. Without a name, shared files have
 * no author.
 */
function readPseudonym(data: string): string | undefined {
  return tryReadText(path.join(data, PSEUDONYM_FILE), { maxBytes: MAX_PSEUDONYM_BYTES })?.trim() || undefined;
}

/** Stores the name. An empty name removes the file. */
function writePseudonym(data: string, name: string): void {
  const file = path.join(data, PSEUDONYM_FILE);
  if (name === '') {
    rmSync(file, { force: true });
  } else {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    writeFileAtomically(file, `${name}\n`);
  }
}
