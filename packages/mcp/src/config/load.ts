/**
 * Finds, reads and checks `argus.yaml`. The error for a mistake names its key and line. Defaults are not filled in
 * here; the code that uses a value knows its default.
 */

import path from 'node:path';
import type { z } from 'zod';
import { ArgusError, getErrorMessage, getSystemCode } from '../errors.ts';
import { resolveExistingPart } from '../owner/data-folder.ts';
import { listFoldersUpToRoot, type Project } from '../owner/project.ts';
import { isFile, isWithin } from '../system/files/path-safety.ts';
import { readText } from '../system/files/read.ts';
import { type ParsedYaml, parseYaml, YamlError } from '../system/files/yaml.ts';
import type { Config } from './schema.ts';

/** A configuration has a few lines, so a larger file is probably not a configuration. */
export const MAX_CONFIG_BYTES = 1024 * 1024;

/** Names of the configuration file, in search order. */
export const CONFIG_NAMES = ['argus.yaml', 'argus.yml'] as const;

export interface LoadedConfig {
  /** Null if there is no configuration file, which is optional. */
  path: string | null;
  config: Config;
  /** The text of the file. */
  text: string;
}

/**
 * The caller that named the configuration file. An agent may have read the name in the repository, so a name from an
 * agent is trusted less.
 */
export type ConfigRequester = 'person' | 'agent';

/** Loads the given file, which must exist. Otherwise loads the nearest configuration of the project, if any. */
export async function loadConfig(
  project: Project,
  configFile?: string,
  namedBy: ConfigRequester = 'agent',
): Promise<LoadedConfig> {
  const file = configFile ? path.resolve(project.root, configFile) : findConfig(project);
  if (!file) return { path: null, config: {}, text: '' };
  const text = readConfigText(project, file);
  const loaded = { path: file, config: await parseConfig(text, file), text };
  const isUsersOwn = configFile !== undefined && namedBy === 'person' && isOutsideProject(project, file);
  if (!isWithin(getDatabasePath(project, loaded.config), project.home) && !isUsersOwn)
    throw await createDatabaseLocationError(loaded);
  return loaded;
}

/**
 * Returns the path of the configured database. It is relative to the project's home, so that all folders and work trees
 * share the database.
 */
export function getDatabasePath({ home }: Project, { history }: Config): string {
  return path.resolve(home, history?.database ?? path.join('.argus', 'argus.db'));
}

/**
 * True if both the path and its real path are outside the project, because a link in a repository may point outside the
 * project, and a link outside may point into the project.
 */
function isOutsideProject({ top, home }: Project, file: string): boolean {
  return ![file, resolveExistingPart(file)].some((one) => isWithin(one, top) || isWithin(one, home));
}

async function createDatabaseLocationError({ path: file, text }: LoadedConfig): Promise<ArgusError> {
  const keys = ['history', 'database'];
  const where = file ?? CONFIG_NAMES[0];
  const { findLine } = await readConfigYaml(text, where);
  const advice =
    'Use a path inside the project, or set it in your own configuration outside the repository and pass that with --config';
  return createConfigError(where, findLine(keys), `${keys.join('.')}: points outside the project. ${advice}`);
}

/** Parses and checks the text of a configuration. Exported for tests. */
export async function parseConfig(text: string, file: string): Promise<Config> {
  const { createConfigSchema } = await import('./schema.ts');
  return parseCheckedYaml(text, file, createConfigSchema(), 'argus.schema.json');
}

/**
 * Adds the key and the line to the engine's error about an invalid pattern. The engine compiles the patterns, so its
 * error names the pattern only.
 */
export async function createPatternError(
  { path: file, config, text }: LoadedConfig,
  reason: string,
): Promise<ArgusError> {
  const isNamed = ({ name }: { name: string }) => reason.includes(name);
  const rule = config.classify?.rules?.findIndex(isNamed) ?? -1;
  const secret = config.redact?.patterns?.findIndex(isNamed) ?? -1;
  const keys = rule >= 0 ? ['classify', 'rules', rule, 'pattern'] : ['redact', 'patterns', secret, 'pattern'];
  const where = file ?? CONFIG_NAMES[0];
  const { findLine } = await readConfigYaml(text, where);
  return createConfigError(where, findLine(keys), `${keys.join('.')}: ${reason}`);
}

/** Returns the nearest configuration file of the project. */
export function findConfig(project: Project): string | undefined {
  const candidates = listFoldersUpToRoot(project).flatMap((folder) =>
    CONFIG_NAMES.map((name) => path.join(folder, name)),
  );
  return candidates.find(isFile);
}

/**
 * Reads a configuration file. A file inside the project must not be a link that leads out of the project. A file
 * outside was named by the user, so its links are followed.
 */
export function readConfigText(project: Project, file: string): string {
  const within = isWithin(file, project.top) ? project.top : project.home;
  const links = isOutsideProject(project, file) ? {} : { links: { within } };
  try {
    return readText(file, { maxBytes: MAX_CONFIG_BYTES, ...links });
  } catch (thrown) {
    const reason = getSystemCode(thrown) === 'ENOENT' ? 'does not exist' : getErrorMessage(thrown);
    throw new ArgusError('CONFIG_INVALID', `Configuration ${file}: ${reason}. Correct configFile or leave it out.`, {
      cause: thrown,
    });
  }
}

/**
 * Parses and checks a YAML text. `schemaName` is the published JSON Schema that lists the valid keys; errors refer to
 * it.
 */
export async function parseCheckedYaml<T>(
  text: string,
  file: string,
  schema: z.ZodType<T>,
  schemaName: string,
): Promise<T> {
  const { value, findLine } = await readConfigYaml(text, file);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problem = result.error.issues[0];
  if (!problem) throw createConfigError(file, 1, 'it is not a valid configuration');
  const { keys, message } = describeProblem(problem, schemaName);
  throw createConfigError(file, findLine(keys), `${keys.join('.') || 'the file'}: ${message}`);
}

async function readConfigYaml(text: string, file: string): Promise<ParsedYaml> {
  try {
    return await parseYaml(text);
  } catch (thrown) {
    throw thrown instanceof YamlError ? createConfigError(file, thrown.line, thrown.message) : thrown;
  }
}

function describeProblem(
  problem: z.core.$ZodIssue,
  schemaName: string,
): { keys: (string | number)[]; message: string } {
  const keys = problem.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  if (problem.code !== 'unrecognized_keys') return { keys, message: problem.message };
  const [unknown = ''] = problem.keys;
  return { keys: [...keys, unknown], message: `unknown key; see ${schemaName} for the valid keys` };
}

function createConfigError(file: string, line: number, what: string): ArgusError {
  return new ArgusError('CONFIG_INVALID', `${file}:${line}: ${what}. Correct it and call argus_init again.`);
}

/** Converts an age such as `90d`, `12w` or a number of days to days. */
export function convertAgeToDays(age: number | string): number {
  if (typeof age === 'number') return age;
  const count = Number.parseInt(age, 10);
  return age.endsWith('w') ? count * 7 : count;
}
