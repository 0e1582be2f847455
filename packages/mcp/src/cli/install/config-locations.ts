/** Finds the configuration files of the agents on this machine, and which agents already use Argus. */

import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../../system/files/path-safety.ts';
import { tryReadText } from '../../system/files/read.ts';
import { getUserHomeFolder, io, toAbsolutePath } from '../../system/io.ts';
import { AGENTS, type AgentName, type Machine, SERVER_NAME } from './agents.ts';
import { type ConfigLocation, readConfigFile } from './files/config-file.ts';
import { findJsonEntry } from './files/json-config.ts';
import { findTomlEntry } from './files/marked-block.ts';

/** Limit for the size of a file that lists plugins. */
const MAX_PLUGIN_FILE_BYTES = 16 * 1024 * 1024;

/** Returns the location of the server's configuration, or undefined if the host has no configuration in projects. */
export function locateConfig(agent: AgentName, root: string, isGlobal: boolean): ConfigLocation | undefined {
  const { userFile, projectFile } = AGENTS[agent];
  return locateFile(root, isGlobal ? userFile : null, projectFile);
}

/** Returns the location of the hook's configuration, or undefined if the host has no hooks. */
export function locateHookConfig(agent: AgentName, root: string, isGlobal: boolean): ConfigLocation | undefined {
  const { hook } = AGENTS[agent];
  return hook && locateFile(root, isGlobal ? hook.userFile : null, hook.projectFile);
}

function locateFile(root: string, userFile: ((machine: Machine) => string) | null, projectFile: string | null) {
  if (userFile !== null) return locateUserFile(userFile(getThisMachine()));
  return projectFile === null ? undefined : { base: root, name: projectFile };
}

export function locateUserFile(file: string): ConfigLocation {
  const home = realpathSync(getUserHomeFolder());
  const real = isWithin(file, getUserHomeFolder())
    ? path.join(home, path.relative(getUserHomeFolder(), file))
    : toAbsolutePath(file);
  const base = isWithin(real, home) ? home : path.dirname(real);
  return { base, name: path.relative(base, real).split(path.sep).join('/') };
}

export function getThisMachine(): Machine {
  return { platform: process.platform, home: getUserHomeFolder(), env: io().env };
}

/** True if the project's configuration, the user's configuration or a plugin starts Argus. */
export function isArgusConfigured(agent: AgentName, root: string): boolean {
  const places = [false, true].flatMap((isGlobal) => locateConfig(agent, root, isGlobal) ?? []);
  return places.some((place) => readEntry(agent, place) !== undefined) || hasPlugin(agent);
}

/** Returns the entry that starts Argus, or undefined if there is none or the file cannot be read. */
export function readEntry(agent: AgentName, place: ConfigLocation): unknown {
  try {
    const text = readConfigFile(place);
    const { container } = AGENTS[agent];
    if (text === undefined) return undefined;
    return container === null ? findTomlEntry(text) : findJsonEntry(text, [container, SERVER_NAME]);
  } catch {
    return undefined;
  }
}

function hasPlugin(agent: AgentName): boolean {
  const sign = AGENTS[agent].findPluginMarker?.(getThisMachine());
  if (sign === undefined || !existsSync(sign.file)) return false;
  return (
    sign.text === undefined || tryReadText(sign.file, { maxBytes: MAX_PLUGIN_FILE_BYTES })?.includes(sign.text) === true
  );
}
