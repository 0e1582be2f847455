/**
 * share: writes the shareable part of this memory into the repository. The engine's `shareWrite` decides what that is
 * and which texts are left out. The options are in share-program.ts.
 */

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import type { ChosenFix, MachineNames, SharedText } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import { formatShared, type Shared } from '../../format/memory/share-text.ts';
import { homeFolder, trustedDataFolder } from '../../owner/data-folder.ts';
import { readShared, SHARED_FOLDER } from '../../owner/shared-files.ts';
import type { Session } from '../../sessions/session.ts';
import { lstat, obstacleOn } from '../../system/files/way.ts';
import { DRAFT_SUFFIX } from '../../system/files/whole-file.ts';
import { homeFolderOfUser } from '../../system/io.ts';
import { shortLine } from '../../text/untrusted.ts';
import { fixInFull } from '../failures/fix-in-full.ts';
import { EXIT } from '../terminal/exit.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';
import { keepPseudonym, pseudonymIn } from './pseudonym.ts';

export interface ShareOptions extends GlobalOptions {
  as?: string;
  fix: string[];
  dryRun?: boolean;
}

/** Limit for the file names of a commit in a shared fix. */
const MAX_NAMED_FILES = 10;

export async function share(options: ShareOptions): Promise<void> {
  await answer(options, ({ session }) => shared(session, options), formatShared, {
    exitCode: ({ leftOut }) => (leftOut.length > 0 ? EXIT.failures : EXIT.done),
  });
}

async function shared(session: Session, { as, fix, dryRun = false }: ShareOptions): Promise<Shared> {
  const { top, home } = session.project;
  const data = await trustedDataFolder(top, home);
  const by = (as ?? pseudonymIn(data))?.trim() || null;
  const present = readShared(top).files.map((file) => file.path);
  const found = await Promise.all(fix.map((id) => chosen(session, id)));
  const { value, warnings } = await session.readLocal((engine) =>
    engine.shareWrite({ by, present, found, machine: machineOf(session) }),
  );
  if (!dryRun) {
    // The engine has accepted the name.
    if (as !== undefined) keepPseudonym(data, as.trim());
    write(top, value.files);
  }
  return {
    dryRun,
    by,
    files: value.files.map((file) => `${SHARED_FOLDER}/${file.path}`),
    ...(dryRun ? { contents: value.files.map(({ text }) => text) } : {}),
    present: present.length,
    leftOut: value.leftOut,
    doubts: value.doubts,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** Describes a fix from a commit by its title and its files, which are in the repository's history anyway. */
async function chosen(session: Session, fixId: string): Promise<ChosenFix> {
  const { found, change, notShown } = await fixInFull(session, fixId);
  if (found === null) {
    const advice = 'A fix that was reported is shared by itself once a run has proved it.';
    throw new ArgusError('INVALID_INPUT', `'${shortLine(fixId)}' was not found in a commit. ${advice}`);
  }
  if (found.commit === undefined || change === null) {
    const reason = notShown ?? 'It is an edit that is not committed yet.';
    throw new ArgusError('INVALID_INPUT', `'${shortLine(fixId)}' cannot be shared. ${reason}`);
  }
  const files = change.files.slice(0, MAX_NAMED_FILES).join(', ');
  return { fixId, fix: `${change.title.trim()}\n\nCommit ${found.commit}, which changed ${files || 'no file'}.` };
}

/** Names of this machine that must not appear in a shared file. */
function machineOf({ project: { top, home, root } }: Session): MachineNames {
  const host = hostname();
  const [short = host] = host.split('.');
  return {
    roots: [...new Set([top, home, root])],
    home: homeFolderOfUser() || homeFolder(),
    hosts: [...new Set([host, short])],
  };
}

/** Writes each file whole or not at all. Never writes through a link, because the folder comes from the repository. */
function write(top: string, files: readonly SharedText[]): void {
  for (const { path: name, text } of files) {
    const file = path.join(top, SHARED_FOLDER, ...name.split('/'));
    const link = [path.dirname(path.dirname(file)), path.dirname(file)].find((folder) =>
      lstat(folder)?.isSymbolicLink(),
    );
    const obstacle = link === undefined ? obstacleOn(top, file)?.text : `${path.relative(top, link)} is a link`;
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
