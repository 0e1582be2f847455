/**
 * Defines the commands of a team and their options: the server, its tokens, and the machines that use the server. The
 * code of a command is imported when the command is called.
 */

import { SCOPES } from 'argus-engine';
import { type Command, Option } from 'commander';
import type { ServeOptions } from '../../team/server/start-server.ts';
import { addProjectCommand, parsePort, parseWholeNumber } from '../terminal/options.ts';
import type { GlobalOptions } from '../terminal/output.ts';
import type { PostgresCommandOptions, TokenOptions } from './server.ts';
import type { JoinOptions } from './team.ts';

const DATABASE_HELP = 'file, or postgres://... (default: ARGUS_DATABASE, else a file in the data folder of this user)';

export function addTeamCommands(root: Command): void {
  addServeCommand(root);
  addTokenCommands(root);
  addPostgresCommands(root);
  addMembershipCommands(root);
}

function addServeCommand(root: Command): void {
  root
    .command('serve')
    .description('serve the memories of a team over HTTP')
    .option('--database <place>', DATABASE_HELP)
    .option('--port <n>', 'port to listen on; 0 picks a free port', parsePort, 7420)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--tls-cert <file>', 'certificate with its chain (PEM)')
    .option('--tls-key <file>', 'private key of the certificate (PEM)')
    .option('--trust-proxy', 'trust a proxy that terminates TLS and sets X-Forwarded-For')
    .option('--insecure-http', 'listen without TLS, even if others can read the traffic')
    .option('--rate-limit <n>', 'calls per second and token', parseWholeNumber, 200)
    .option(
      '--workers <n>',
      'number of parallel calls (default: 2 per core; on PostgreSQL 8 per core, at most 32)',
      parseWholeNumber,
    )
    .option('--keep-runs <days>', 'days after which runs are deleted (default: never)', parseWholeNumber)
    .action(async (options: ServeOptions) => {
      const { serve } = await import('./server.ts');
      await serve(options);
    });
}

function addTokenCommands(root: Command): void {
  const token = root.command('token').description('manage the tokens for a server');
  token
    .command('create <name>')
    .description('create a token for a person or a machine, and print it once')
    .addOption(
      new Option('--scope <scope>', 'permissions; each scope includes the scopes before it')
        .choices(SCOPES)
        .default('write'),
    )
    .option('--project <name...>', 'only these projects (default: all)')
    .option('--expires <days>', 'days until it expires (default: never)', parseWholeNumber)
    .option('--database <place>', DATABASE_HELP)
    .option('--json', 'print JSON')
    .action(async (name: string, options: TokenOptions) => {
      const { createToken } = await import('./server.ts');
      await createToken(name, options);
    });
  token
    .command('list')
    .description('show all tokens, without their secrets')
    .option('--database <place>', DATABASE_HELP)
    .option('--json', 'print JSON')
    .action(async (options: TokenOptions) => {
      const { listTokens } = await import('./server.ts');
      await listTokens(options);
    });
  token
    .command('audit')
    .description('show edits and denied calls, newest first')
    .option('--limit <n>', 'at most this many', parseWholeNumber, 100)
    .option('--database <place>', DATABASE_HELP)
    .option('--json', 'print JSON')
    .action(async (options: TokenOptions) => {
      const { printAuditLog } = await import('./server.ts');
      await printAuditLog(options);
    });
  token
    .command('revoke <id>')
    .description('revoke a token (takes up to a second)')
    .option('--database <place>', DATABASE_HELP)
    .option('--json', 'print JSON')
    .action(async (id: string, options: TokenOptions) => {
      const { revokeToken } = await import('./server.ts');
      await revokeToken(id, options);
    });
}

function addPostgresCommands(root: Command): void {
  root
    .command('migrate')
    .description('create the schemas of a server on PostgreSQL, or upgrade them to this version')
    .option('--database <place>', DATABASE_HELP)
    .option('--json', 'print JSON')
    .action(async (options: PostgresCommandOptions) => {
      const { migrate } = await import('./server.ts');
      await migrate(options);
    });
  root
    .command('backup <project> <file>')
    .description('copy a project of a server on PostgreSQL into a database file that argus can open')
    .option('--database <place>', DATABASE_HELP)
    .option('--json', 'print JSON')
    .action(async (project: string, file: string, options: PostgresCommandOptions) => {
      const { backup } = await import('./server.ts');
      await backup(project, file, options);
    });
}

function addMembershipCommands(root: Command): void {
  const team = root.command('team').description('share the memory of a repository with a team');
  addProjectCommand(team, 'join <url>', "send this repository's runs and incidents to a team server", 'print JSON')
    .option('--as <project>', 'name of this project on the server (default: the name of its folder)')
    .option('--token-variable <name>', 'environment variable with the token (default: ARGUS_TEAM_TOKEN)')
    .action(async (url: string, options: JoinOptions) => {
      const { join } = await import('./team.ts');
      await join(url, options);
    });
  const others = {
    leave: 'stop sending data to the server of the team',
    status: 'show the team of this repository, and whether its server can be reached',
    push: 'copy the local incidents and patterns to the team',
    pull: "copy the team's incidents and patterns to this machine, so that they are available without the server",
  } as const;
  for (const [name, description] of Object.entries(others)) {
    addProjectCommand(team, name, description, 'print JSON').action(async (options: GlobalOptions) => {
      const commands = { ...(await import('./team.ts')), ...(await import('./push-pull.ts')) };
      await commands[name as keyof typeof others](options);
    });
  }
}
