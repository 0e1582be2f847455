/**
 * The hook of each agent that has hooks: where it is written, and how. The same elements stand in the plugins
 * (packages/agents/generate.mjs); a test holds them together.
 */

import path from 'node:path';
import { type AgentName, type Machine, userFile } from './agents.ts';
import type { HookForm } from './files/json-hooks.ts';

/** A memory may have to be opened first. */
const TIMEOUT_SECONDS = 20;

interface AgentHook {
  projectFile: string;
  form: (command: string) => HookForm;
}

/** VS Code has none. */
export const AGENT_HOOKS: Readonly<Partial<Record<AgentName, AgentHook>>> = {
  claude: {
    projectFile: '.claude/settings.json',
    form: (command) => called(command, ['PostToolUseFailure', 'PostToolUse'], 'Bash', TIMEOUT_SECONDS),
  },
  codex: {
    projectFile: '.codex/hooks.json',
    form: (command) => called(command, ['PostToolUse'], 'Bash', TIMEOUT_SECONDS),
  },
  cursor: {
    projectFile: '.cursor/hooks.json',
    form: (command) => ({
      elements: {
        postToolUse: { command, matcher: 'Shell' },
        postToolUseFailure: { command, matcher: 'Shell' },
      },
      extra: { version: 1 },
    }),
  },
  gemini: {
    projectFile: '.gemini/settings.json',
    // In milliseconds.
    form: (command) => called(command, ['AfterTool'], 'run_shell_command', TIMEOUT_SECONDS * 1_000),
  },
};

/** What happened stands in what the hook reads. */
function called(command: string, events: readonly string[], matcher: string, timeout: number): HookForm {
  const hooks = [{ type: 'command', command, timeout }];
  const ofTools = events.map((event) => [event, { matcher, hooks }]);
  return { elements: { ...Object.fromEntries(ofTools), SessionStart: { hooks } } };
}

export function userHookFile(agent: AgentName, machine: Machine): string {
  const { join, dirname } = machine.platform === 'win32' ? path.win32 : path.posix;
  const servers = userFile(agent, machine);
  if (agent === 'claude') return join(machine.env.CLAUDE_CONFIG_DIR || join(machine.home, '.claude'), 'settings.json');
  return agent === 'gemini' ? servers : join(dirname(servers), 'hooks.json');
}
