/** Defines the command `install` and its options. The code of the command is imported when the command is called. */

import { type Command, Option } from 'commander';
import { createHelpText } from '../terminal/help.ts';
import { AGENT_NAMES, IS_PUBLISHED } from './agents.ts';
import type { InstallOptions } from './install.ts';

const HELP = `
Without --agent: configures every agent that it finds by its files, its folder in your home, or its program.
Without --yes: asks at a terminal, otherwise only shows the changes. A second call changes nothing.
--remove removes only what install has added.

Exit codes: 0 done, 1 a file was not changed (broken, a link, owned by someone else), 2 wrong usage or an error.`;

export function addInstallCommand(root: Command): void {
  root
    .command('install')
    .description('configure your coding agents to use Argus')
    .addOption(createAgentOption())
    .option('--hook', 'also add a hook, so Argus can mention a known fix after a failing command')
    .option('--agents-md', 'describe Argus in AGENTS.md (with --agent: also configure the agent)')
    .addOption(new Option('--global', "write your user configuration instead of the project's").conflicts('agentsMd'))
    .addOption(
      new Option(
        '--program <how>',
        'start Argus by name (argus-mcp on PATH, default in a project) or by the path of this program (default elsewhere)',
      ).choices(IS_PUBLISHED ? ['name', 'path', 'npx'] : ['name', 'path']),
    )
    .option('--remove', 'remove Argus from the configuration')
    .option('--yes', 'do not ask')
    .option('--no-learn', 'skip the last step, argus learn --from-git')
    .option('--project <dir>', 'project directory', '.')
    .option('--json', 'print JSON')
    .addHelpText('after', createHelpText(HELP))
    .action(async (options: InstallOptions) => {
      const { install } = await import('./install.ts');
      await install(options);
    });
}

/** Creates the option `--agent`, which may be repeated. */
function createAgentOption(): Option {
  const option = new Option('--agent <name...>', `${AGENT_NAMES.join(', ')}; may be repeated`);
  return option.choices(AGENT_NAMES);
}
