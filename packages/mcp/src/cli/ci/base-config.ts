/**
 * The configuration by which CI judges a change: the configuration of the base, plus the redaction patterns that the
 * change adds. Otherwise a change could set its own `classify`, `test` or `history` and so decide about itself.
 */

import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CONFIG_NAMES, type LoadedConfig, MAX_CONFIG_BYTES, parseConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { type BaseRevision, fileAt } from '../../git/base-revision.ts';
import { foldersWithin, type Project } from '../../owner/project.ts';
import { isWithin } from '../../system/files/way.ts';

/** If `base` is null (not known), only the redaction of the checkout counts. */
export async function configOfBase(
  project: Project,
  loaded: LoadedConfig,
  base: BaseRevision | null,
): Promise<LoadedConfig> {
  // A configuration outside the repository is a person's own.
  if (loaded.path !== null && !isWithin(loaded.path, project.top)) return loaded;
  const files = loaded.path === null ? candidates(project) : [loaded.path, ...candidates(project)];
  const written = base === null ? null : await firstAt(base, project, files);
  // A base with a mistake counts as empty, so that a change can correct it.
  const config = written === null ? {} : await parseConfig(written.text, written.file).catch((): Config => ({}));
  const merged: Config = { ...config, ...redactionOf(config, loaded.config) };
  return { path: loaded.path, config: merged, text: JSON.stringify(merged) };
}

function candidates(project: Project): string[] {
  return foldersWithin(project).flatMap((folder) => CONFIG_NAMES.map((name) => path.join(folder, name)));
}

async function firstAt(
  base: BaseRevision,
  { top }: Project,
  files: readonly string[],
): Promise<{ file: string; text: string } | null> {
  for (const file of files) {
    const name = path.relative(top, file).replaceAll(path.sep, '/');
    const written = await fileAt(base, base.commit, name, MAX_CONFIG_BYTES);
    if (written !== null && !written.cut) return { file, text: written.text };
  }
  return null;
}

function redactionOf(base: Config, here: Config): Pick<Config, 'redact'> {
  const known = base.redact?.patterns ?? [];
  const added = (here.redact?.patterns ?? []).filter((one) => !known.some((other) => isDeepStrictEqual(one, other)));
  const patterns = [...known, ...added];
  return patterns.length === 0 ? {} : { redact: { patterns } };
}
