/**
 * The slash commands /pm:fix-problem and /pm:generate-inputs, where an agent reads them from files. Their texts:
 * packages/agents/generate.mjs, which writes them into plugins too.
 */

import path from 'node:path';
import generated from '../../generated/agent-commands.json' with { type: 'json' };
import { type AgentName, type Machine, userFile } from './agents.ts';
import { Refused } from './files/refused.ts';
import { userHookFile } from './hook-forms.ts';

/** What starts Argus in the texts. */
const PACKAGED = 'npx -y argus-mcp';

export interface AgentCommand {
  /** In a project; for a user, in the agent's own folder. */
  projectFile: string;
  userFile: string;
  /** Of somebody else's file of this name nothing is changed. */
  edit: (text: string | undefined) => string | undefined;
}

/** `program`: how Argus is started. */
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
