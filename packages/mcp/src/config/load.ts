/**
 * Finds, reads and checks `argus.yaml`. The error for a mistake names its key and line. Defaults are not filled in
 * here, because the code that uses a value knows its default.
 */

import path from 'node:path';
import { ArgusError, messageOf, systemCodeOf } from '../errors.ts';
import { realOfExisting } from '../owner/data-folder.ts';
import { foldersWithin, type Project } from '../owner/project.ts';
import { readText } from '../system/files/read.ts';
import { isFile, isWithin } from '../system/files/way.ts';
import { checkedYaml, invalid, readConfigYaml } from './checked-yaml.ts';
import type { Config } from './schema.ts';

/** A configuration is a few lines, so a larger file is probably another file. */
export const MAX_CONFIG_BYTES = 1024 * 1024;

/** In search order. */
export const CONFIG_NAMES = ['argus.yaml', 'argus.yml'] as const;

export interface LoadedConfig {
  /** Null without a configuration file, which is optional. */
  path: string | null;
  config: Config;
  /** The text of the file. */
  text: string;
}

/**
 * The origin of a configuration file's name. An agent may have taken the name from the repository, so it is trusted
 * less.
 */
export type ConfigNamer = 'person' | 'agent';

/** Loads the given file, which must exist, otherwise the nearest configuration of the project, if any. */
export async function loadConfig(
  project: Project,
  configFile?: string,
  namedBy: ConfigNamer = 'agent',
): Promise<LoadedConfig> {
  const file = configFile ? path.resolve(project.root, configFile) : findConfig(project);
  if (!file) return { path: null, config: {}, text: '' };
  const text = configText(project, file);
  const loaded = { path: file, config: await parseConfig(text, file), text };
  const isTheirs = configFile !== undefined && namedBy === 'person' && liesOutside(project, file);
  if (!isWithin(databaseOf(project, loaded.config), project.home) && !isTheirs) throw await outsideError(loaded);
  return loaded;
}

/** The configured database, relative to the project's home, so that all its folders and work trees share it. */
export function databaseOf({ home }: Project, { history }: Config): string {
  return path.resolve(home, history?.database ?? path.join('.argus', 'argus.db'));
}

/**
 * Checks both paths, because a link in a repository may lead out of the project, and a link outside may lead into it.
 */
function liesOutside({ top, home }: Project, file: string): boolean {
  return ![file, realOfExisting(file)].some((one) => isWithin(one, top) || isWithin(one, home));
}

async function outsideError({ path: file, text }: LoadedConfig): Promise<ArgusError> {
  const keys = ['history', 'database'];
  const where = file ?? CONFIG_NAMES[0];
  const { lineOf } = await readConfigYaml(text, where);
  const advice =
    'Name a file inside it, or say it in a configuration of your own outside of its repository, with --config';
  return invalid(where, lineOf(keys), `${keys.join('.')}: leads out of the project. ${advice}`);
}

/** Checks the text of a configuration. Exported for tests. */
export async function parseConfig(text: string, file: string): Promise<Config> {
  const { configSchema } = await import('./schema.ts');
  return checkedYaml(text, file, configSchema(), 'argus.schema.json');
}

/**
 * Adds key and line to the engine's error about a pattern. The engine compiles the patterns and names the invalid
 * pattern.
 */
export async function patternError({ path: file, config, text }: LoadedConfig, reason: string): Promise<ArgusError> {
  const named = ({ name }: { name: string }) => reason.includes(name);
  const rule = config.classify?.rules?.findIndex(named) ?? -1;
  const secret = config.redact?.patterns?.findIndex(named) ?? -1;
  const keys = rule >= 0 ? ['classify', 'rules', rule, 'pattern'] : ['redact', 'patterns', secret, 'pattern'];
  const where = file ?? CONFIG_NAMES[0];
  const { lineOf } = await readConfigYaml(text, where);
  return invalid(where, lineOf(keys), `${keys.join('.')}: ${reason}`);
}

/** The nearest configuration of the project. */
export function findConfig(project: Project): string | undefined {
  const candidates = foldersWithin(project).flatMap((folder) => CONFIG_NAMES.map((name) => path.join(folder, name)));
  return candidates.find(isFile);
}

/** The text of a configuration. A link in a project must not lead out of it. A file elsewhere was named by its path. */
export function configText(project: Project, file: string): string {
  const within = isWithin(file, project.top) ? project.top : project.home;
  const links = liesOutside(project, file) ? {} : { links: { within } };
  try {
    return readText(file, { maxBytes: MAX_CONFIG_BYTES, ...links });
  } catch (thrown) {
    const reason = systemCodeOf(thrown) === 'ENOENT' ? 'does not exist' : messageOf(thrown);
    throw new ArgusError('CONFIG_INVALID', `Configuration ${file}: ${reason}. Correct configFile or leave it out.`, {
      cause: thrown,
    });
  }
}
