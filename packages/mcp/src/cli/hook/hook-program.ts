/** hook and score, for the help. An agent's call of hook does not use this command: see cli.ts. */

import { type Command, Option } from 'commander';
import type { ScoreOptions } from './score.ts';

const HOOK_HELP = `
For the hooks of Claude Code, Codex, Cursor and Gemini CLI, after each shell command; docs/hook.md says what to write where.
Silent unless it knows; hook: false in argus.yaml switches it off. It always ends with code 0.`;

export function addHookCommands(root: Command): void {
  root
    .command('hook')
    .description("read an agent's hook event on stdin; answer what is known of a failure in the agent's own form")
    .addHelpText('after', HOOK_HELP);
  root
    .command('score')
    .description('how often the hook spoke here, was right and was wrong')
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .option('--mine', 'replay the history of this project instead: what the hook would have done')
    .addOption(new Option('--reset', 'count anew, so that a hook that muted itself speaks again').conflicts('mine'))
    .action(async (options: ScoreOptions) => {
      const { score } = await import('./score.ts');
      await score(options);
    });
}
