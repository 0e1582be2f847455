/**
 * The part of `doctor` that starts each configured server as its host would, and compares the time until its first
 * response with the time that the host waits.
 */

import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { getErrorMessage } from '../../errors.ts';
import type { Check } from '../../format/project.ts';
import { isWithin } from '../../system/files/path-safety.ts';
import { io } from '../../system/io.ts';
import { findProgram, isProgramInstalled } from '../../system/programs.ts';
import { AGENT_NAMES, AGENTS, type AgentName, getEntryCommand, isAgentDetected } from './agents.ts';
import { getThisMachine, locateConfig, readEntry } from './config-locations.ts';
import { getConfigPath } from './files/config-file.ts';

/** How long to wait if the limit of the host is not known. */
const DEFAULT_LIMIT_MS = 30_000;

const INITIALIZE_REQUEST = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'argus-doctor', version: '1' } },
};

/**
 * Starts the server of each detected host, with its configuration in the project and of the user. Skips hosts without
 * an entry, and plugins, whose entries are in the cache of the host.
 */
export async function checkServerStarts(root: string): Promise<Check[]> {
  const checks: Check[] = [];
  for (const agent of AGENT_NAMES.filter((name) => isAgentDetected(name, root, getThisMachine()))) {
    for (const isGlobal of [false, true]) {
      const place = locateConfig(agent, root, isGlobal);
      const command = getEntryCommand(place && readEntry(agent, place));
      if (place === undefined || command.length === 0) continue;
      const isTrusted = isGlobal || isProgramOutsideProject(command, root);
      checks.push({
        name: `start by ${AGENTS[agent].title}`,
        ...(await checkServerStart(agent, command, root, isTrusted, getConfigPath(place))),
      });
    }
  }
  return checks;
}

async function checkServerStart(
  agent: AgentName,
  command: readonly string[],
  root: string,
  isTrusted: boolean,
  file: string,
): Promise<Omit<Check, 'name'>> {
  const shown = `${file}: ${command.join(' ')}`;
  if (!isTrusted)
    return { state: 'note', detail: `${shown} was not started, because the program could come from the project` };
  const { title, startLimitMs } = AGENTS[agent];
  const limitMs = startLimitMs ?? DEFAULT_LIMIT_MS;
  const waits = startLimitMs === undefined ? '' : `; ${title} waits ${startLimitMs / 1_000} s`;
  const [program = '', ...args] = command;
  // Unlike the operating system, this search skips the project.
  const result = await measureFirstResponse([findProgram(program, root) ?? program, ...args], root, limitMs);
  if (typeof result === 'number') return { state: 'ok', detail: `${shown} answers after ${result} ms${waits}` };
  return { state: 'problem', detail: `${shown} ${result}${waits}. Install it again: argus install` };
}

/** True for a program outside of the project, because the check must not run a program that came with a repository. */
function isProgramOutsideProject([program = '', file = '', ...others]: readonly string[], root: string): boolean {
  if (program === 'argus-mcp' || program === 'argus') return isProgramInstalled(program, root);
  if (program !== 'node' || others.length > 0 || !path.isAbsolute(file)) return false;
  try {
    return !isWithin(realpathSync(file), root) || realpathSync(file) === realpathSync(io().program);
  } catch {
    return true;
  }
}

/** Returns the time until the first response in milliseconds, or a description of the problem. */
function measureFirstResponse(
  [program = '', ...args]: readonly string[],
  cwd: string,
  limitMs: number,
): Promise<number | string> {
  const startMs = performance.now();
  const child = spawn(program, args, { cwd, env: io().env, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true });
  return new Promise((resolve) => {
    const end = (result: number | string) => {
      clearTimeout(timer);
      child.kill();
      resolve(result);
    };
    const timer = setTimeout(() => end(`does not answer within ${limitMs / 1_000} s`), limitMs);
    let text = '';
    child.on('error', (error) => end(`cannot be started (${getErrorMessage(error)})`));
    child.on('close', () => end('ends without an answer'));
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (text.includes('"serverInfo"') && text.includes('\n')) end(Math.round(performance.now() - startMs));
    });
    child.stdin.write(`${JSON.stringify(INITIALIZE_REQUEST)}\n`);
  });
}
