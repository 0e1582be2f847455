/**
 * The slash commands /pm:fix-problem and /pm:generate-inputs, for agents that read them from files.
 * packages/agents/generate.mjs writes their texts, for the plugins too.
 */

import path from 'node:path';
import generated from '../../generated/agent-commands.json' with { type: 'json' };
import { type AgentName, type Machine, userFile } from './agents.ts';
import { Refused } from './files/refused.ts';
import { userHookFile } from './hook-forms.ts';

/** The command that starts Argus in the generated texts. */
const PACKAGED = 'npx -y argus-mcp';

export interface AgentCommand {
  /** File in a project. `userFile` is the file in the agent's own folder. */
  projectFile: string;
  userFile: string;
  /** Returns the new text, or undefined to remove the file. Another owner's file of this name is never changed. */
  edit: (text: string | undefined) => string | undefined;
}

/** `program` is the command that starts Argus. */
export function commandsOf(
  agent: AgentName,
  machine: Machine,
  { program = PACKAGED, remove }: { program?: string | undefined; remove: boolean },
): AgentCommand[] {
  const files: Readonly<Record<string, string>> = agent === 'claude' || agent === 'gemini' ? generated[agent] : {};
  const home = path.dirname(agent === 'claude' ? userHookFile(agent, machine) : userFile(agent, machine));
  return Object.entries(files).map(([name, text]) => ({
    projectFile: `.${agent}/commands/pm/${name}`,
    userFile: path.join(home, 'commands', 'pm', name),
    edit(found) {
      const isOurs = found === undefined || found.includes('ARGUS_ARGUMENTS');
      if (remove) return isOurs ? undefined : found;
      if (!isOurs) throw new Refused('it holds another command; move it away first');
      return text.replaceAll(PACKAGED, program);
    },
  }));
}
