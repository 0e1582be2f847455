/**
 * The hook for each agent that supports hooks: its file and its form. The plugins (packages/agents/generate.mjs)
 * contain the same elements, and a test compares them.
 */

import path from 'node:path';
import { type AgentName, type Machine, userFile } from './agents.ts';
import type { HookForm } from './files/json-hooks.ts';

/** The hook may have to open a memory first. */
const TIMEOUT_SECONDS = 20;

interface AgentHook {
  projectFile: string;
  form: (command: string) => HookForm;
}

/** VS Code has no hooks. */
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
    // Gemini CLI takes the timeout in milliseconds.
    form: (command) => called(command, ['AfterTool'], 'run_shell_command', TIMEOUT_SECONDS * 1_000),
  },
};

/**
 * Builds a hook that is called for each event. The command is the same for all events, because the hook reads the event
 * from stdin.
 */
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
