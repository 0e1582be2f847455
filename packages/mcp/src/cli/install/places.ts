/** Finds the configuration of the agents on this machine, and which of them use Argus already. */

import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { textOf } from '../../system/files/read.ts';
import { isWithin } from '../../system/files/way.ts';
import { absolutePath, homeFolderOfUser, io } from '../../system/io.ts';
import { AGENTS, type AgentName, type Machine, pluginSign, SERVER_NAME, userFile } from './agents.ts';
import { type ConfigPlace, readConfigFile } from './files/config-file.ts';
import { hasJsonEntry } from './files/json-entry.ts';
import { hasTomlEntry } from './files/toml-entry.ts';
import { AGENT_HOOKS, userHookFile } from './hook-forms.ts';

/** Limit for the size of a file that lists plugins. */
const MAX_SIGN_BYTES = 16 * 1024 * 1024;

export function placeOf(agent: AgentName, root: string, isGlobal: boolean): ConfigPlace {
  return isGlobal ? placeOfUser(userFile(agent, thisMachine())) : { base: root, name: AGENTS[agent].projectFile };
}

/** Undefined if the agent has no hooks. */
export function hookPlaceOf(agent: AgentName, root: string, isGlobal: boolean): ConfigPlace | undefined {
  const hook = AGENT_HOOKS[agent];
  if (hook === undefined) return undefined;
  return isGlobal ? placeOfUser(userHookFile(agent, thisMachine())) : { base: root, name: hook.projectFile };
}

export function placeOfUser(file: string): ConfigPlace {
  const home = realpathSync(homeFolderOfUser());
  const real = isWithin(file, homeFolderOfUser())
    ? path.join(home, path.relative(homeFolderOfUser(), file))
    : absolutePath(file);
  const base = isWithin(real, home) ? home : path.dirname(real);
  return { base, name: path.relative(base, real).split(path.sep).join('/') };
}

export function thisMachine(): Machine {
  return { platform: process.platform, home: homeFolderOfUser(), env: io().env };
}

/** True if the project's configuration, the user's configuration or a plugin starts Argus. */
export function usesArgus(agent: AgentName, root: string): boolean {
  return [false, true].some((isGlobal) => isConfigured(agent, placeOf(agent, root, isGlobal))) || hasPlugin(agent);
}

/** False for a file that cannot be read. */
function isConfigured(agent: AgentName, place: ConfigPlace): boolean {
  try {
    const text = readConfigFile(place);
    const { container } = AGENTS[agent];
    if (text === undefined) return false;
    return container === null ? hasTomlEntry(text) : hasJsonEntry(text, [container, SERVER_NAME]);
  } catch {
    return false;
  }
}

function hasPlugin(agent: AgentName): boolean {
  const sign = pluginSign(agent, thisMachine());
  if (sign === undefined || !existsSync(sign.file)) return false;
  return sign.text === undefined || textOf(sign.file, { maxBytes: MAX_SIGN_BYTES })?.includes(sign.text) === true;
}
