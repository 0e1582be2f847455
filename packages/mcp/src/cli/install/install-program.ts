/** The command install and its options. The work is imported when it is called. */

import { type Command, Option } from 'commander';
import { AGENT_NAMES } from './agents.ts';
import type { InstallOptions } from './install.ts';

const HELP = `
Without --agent: every agent that is found here, by its files, its folder in your home, or its program.
Without --yes it asks at a terminal, and elsewhere only shows what it would do. A second time nothing changes.
--remove takes out what it added, and leaves the file as it was before.

Exit codes: 0 done, 1 a file was left as it is (broken, a link, somebody else's), 2 wrong usage or an error.`;

export function addInstall(root: Command): void {
  root
    .command('install')
    .description('let an agent use Argus: write its configuration, or AGENTS.md')
    .addOption(agentOption())
    .option('--hook', 'also call Argus after its shell commands, so that it speaks unasked; VS Code has no hooks')
    .option('--agents-md', 'say in AGENTS.md when to use it; with --agent both')
    .addOption(new Option('--global', "your own configuration instead of the project's").conflicts('agentsMd'))
    .addOption(
      new Option(
        '--program <how>',
        'start it by its package, or by the path of this one (default in a checkout)',
      ).choices(['npx', 'path']),
    )
    .option('--remove', 'take it out again')
    .option('--yes', 'do not ask')
    .option('--project <dir>', 'project directory', '.')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (options: InstallOptions) => {
      const { install } = await import('./install.ts');
      await install(options);
    });
}

/** The option may be given more than once. */
function agentOption(): Option {
  const option = new Option('--agent <name...>', `${AGENT_NAMES.join(', ')}; may be repeated`);
  return option.choices(AGENT_NAMES);
}
