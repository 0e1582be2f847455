/**
 * The commands of a team and their options: the server, its tokens, and the machines that use it. The code of a command
 * is imported when it is called.
 */

import { SCOPES } from 'argus-engine';
import { type Command, Option } from 'commander';
import type { ServeOptions } from '../../team/server/start-server.ts';
import { portNumber, wholeNumber } from '../terminal/numbers.ts';
import type { GlobalOptions } from '../terminal/output.ts';
import type { MemoriesOptions } from './memories.ts';
import type { JoinOptions } from './team.ts';
import type { TokenOptions } from './token.ts';

const DATABASE = 'file, or postgres://... (default: ARGUS_DATABASE, else a file in the data folder of this user)';

export function addTeamCommands(root: Command): void {
  addServe(root);
  addToken(root);
  addMemories(root);
  addTeam(root);
}

function addServe(root: Command): void {
  root
    .command('serve')
    .description('serve the memories of a team over HTTP')
    .option('--database <place>', DATABASE)
    .option('--port <n>', 'port to listen on; 0: a free one', portNumber, 7420)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--tls-cert <file>', 'certificate with its chain, PEM')
    .option('--tls-key <file>', 'its private key, PEM')
    .option('--trust-proxy', 'a proxy in front speaks TLS and says who asks (X-Forwarded-For)')
    .option('--insecure-http', 'listen without TLS where others can read along')
    .option('--rate-limit <n>', 'calls of one token in a second', wholeNumber, 200)
    .option('--workers <n>', 'calls made at once on PostgreSQL (default: 8 for each core, at most 32)', wholeNumber)
    .option('--keep-runs <days>', 'days after which runs are deleted (default: never)', wholeNumber)
    .action(async (options: ServeOptions) => {
      const { serve } = await import('./serve-team.ts');
      await serve(options);
    });
}

function addToken(root: Command): void {
  const token = root.command('token').description('who may use the memories of a server');
  token
    .command('create <name>')
    .description('make a token for a person or a machine, and print it once')
    .addOption(
      new Option('--scope <scope>', 'what it may do; each holds those before it').choices(SCOPES).default('write'),
    )
    .option('--project <name...>', 'only these projects (default: all)')
    .option('--expires <days>', 'days until it expires (default: never)', wholeNumber)
    .option('--database <place>', DATABASE)
    .option('--json', 'print JSON')
    .action(async (name: string, options: TokenOptions) => {
      const { createToken } = await import('./token.ts');
      await createToken(name, options);
    });
  token
    .command('list')
    .description('show all tokens, without their secrets')
    .option('--database <place>', DATABASE)
    .option('--json', 'print JSON')
    .action(async (options: TokenOptions) => {
      const { listTokens } = await import('./token.ts');
      await listTokens(options);
    });
  token
    .command('audit')
    .description('show what was edited and what was denied, the newest first')
    .option('--limit <n>', 'at most this many', wholeNumber, 100)
    .option('--database <place>', DATABASE)
    .option('--json', 'print JSON')
    .action(async (options: TokenOptions) => {
      const { audit } = await import('./token.ts');
      await audit(options);
    });
  token
    .command('revoke <id>')
    .description('take a token back; it opens nothing after a second')
    .option('--database <place>', DATABASE)
    .option('--json', 'print JSON')
    .action(async (id: string, options: TokenOptions) => {
      const { revokeToken } = await import('./token.ts');
      await revokeToken(id, options);
    });
}

function addMemories(root: Command): void {
  root
    .command('migrate')
    .description('make the schemas of a server on PostgreSQL, or bring them to this version')
    .option('--database <place>', DATABASE)
    .option('--json', 'print JSON')
    .action(async (options: MemoriesOptions) => {
      const { migrate } = await import('./memories.ts');
      await migrate(options);
    });
  root
    .command('backup <project> <file>')
    .description('copy a project of a server on PostgreSQL into a file that argus opens')
    .option('--database <place>', DATABASE)
    .option('--json', 'print JSON')
    .action(async (project: string, file: string, options: MemoriesOptions) => {
      const { backup } = await import('./memories.ts');
      await backup(project, file, options);
    });
}

function addTeam(root: Command): void {
  const team = root.command('team').description('share the memory of a repository with a team');
  repositoryCommand(team, 'join <url>', 'send what is recorded here to the server of a team')
    .option('--as <project>', 'name of this project there (default: the name of its folder)')
    .option('--token-variable <name>', 'variable that holds the token (default: ARGUS_TEAM_TOKEN)')
    .action(async (url: string, options: JoinOptions) => {
      const { join } = await import('./team.ts');
      await join(url, options);
    });
  const others = {
    leave: 'send nothing from here any more',
    status: 'say which team this repository belongs to, and whether its server can be reached',
    push: 'copy the incidents and patterns that are known here to the team',
    pull: "copy the team's incidents and patterns here, for when the server cannot be reached",
  } as const;
  for (const [name, description] of Object.entries(others)) {
    repositoryCommand(team, name, description).action(async (options: GlobalOptions) => {
      const commands = { ...(await import('./team.ts')), ...(await import('./copy.ts')) };
      await commands[name as keyof typeof others](options);
    });
  }
}

function repositoryCommand(team: Command, nameAndArguments: string, description: string): Command {
  return team
    .command(nameAndArguments)
    .description(description)
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON');
}
