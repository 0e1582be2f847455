/**
 * `team status` and `doctor` report whether the team's server accepts calls of this machine, and name a helpful
 * command.
 */

import { beforeAll, expect, test } from 'vitest';
import { answering, memberOfPretended } from './pretended.ts';
import { joined, type Machine, repository, startServer, type TeamServer, token } from './team.ts';

let server: TeamServer;
beforeAll(async () => {
  server = await startServer();
});

function member(of = server): Promise<Machine> {
  return joined(of, 'Ada', repository({ 'package.json': '{}', 'test/a.js': "require('node:test');" }));
}

async function expectStates(machine: Machine, status: [number, RegExp], doctor: [number, RegExp]): Promise<void> {
  const [state, check] = [await machine.argus('team', 'status'), await machine.argus('doctor')];
  expect([state.status, state.stdout]).toEqual([status[0], expect.stringMatching(status[1])]);
  const line = /^.* team .*$/mu.exec(check.stdout)?.[0] ?? '';
  expect([check.status, line]).toEqual([doctor[0], expect.stringMatching(doctor[1])]);
}

test('names a reachable server and the scope of the token', async () => {
  const ada = await member();
  await expectStates(
    ada,
    [0, /as 'Ada' with the scope write/u],
    [0, /✓ team .*shop at .*, as 'Ada' with the scope write, a write works/u],
  );
  ada.env.ARGUS_TEAM_TOKEN = await token(server.database, 'Eve', '--scope', 'read');
  await expectStates(
    ada,
    [0, /as 'Eve' with the scope read/u],
    [0, /• team .*what is recorded here cannot be stored there/u],
  );
  await ada.argus('team', 'leave');
  await expectStates(ada, [0, /belongs to no team/u], [0, /^$/u]);
});

test.each<[string, () => string | Promise<string>, string]>([
  ['no token', () => '', 'ARGUS_TEAM_TOKEN holds no token.* argus token create NAME --project shop'],
  ['an unknown token', () => 'argus_0123', 'does not take the token: .* argus token create NAME --project shop'],
  [
    'a token for another project',
    () => token(server.database, 'Bob', '--project', 'till'),
    "The token is for till, not 'shop'.* argus team join \\S+ --as till",
  ],
])('%s is a problem, and the helpful command is named', async (_, other, said) => {
  const ada = await member();
  ada.env.ARGUS_TEAM_TOKEN = await other();
  await expectStates(ada, [1, new RegExp(said, 'u')], [1, new RegExp(`✗ team .*${said}`, 'u')]);
});

test('an unreachable server is a problem, and the helpful commands are named', async () => {
  const away = await startServer();
  const ada = await member(away);
  await away.stop();
  const said = 'cannot be reached: .* argus serve.* argus team join URL --as shop';
  await expectStates(ada, [1, new RegExp(said, 'u')], [1, new RegExp(`✗ team .*${said}`, 'u')]);
});

test.each([
  [{ oldest: 2, newest: 3 }, /speaks the protocols 2 to 3, this program 1\. Update this one: npm install /u],
  [{ oldest: 0, newest: 0 }, /speaks the protocols 0 to 0, this program 1\. Update that one: .*argus migrate/u],
])('a server with the protocols %j is a problem, and the older side is named', async (protocol, said) => {
  const { ada, greeting } = await memberOfPretended(answering(500, {}));
  greeting.protocol = protocol;
  const { status, stdout } = await ada.argus('team', 'status');
  expect([status, stdout]).toEqual([1, expect.stringMatching(said)]);
});

test.each([
  ['greets in a way that is not understood', { token: 'of another kind' }, 'TEAM_UNREACHABLE'],
  ['refuses a field that it does not know', {}, 'TEAM_UNREACHABLE'],
])('a server of another version that %s is named with its version', async (_, greeting, code) => {
  const error = { code: 'INVALID_INPUT', message: 'params: unknown field' };
  const pretended = await memberOfPretended(answering(400, { error }));
  Object.assign(pretended.greeting, { version: '9.1.0', ...greeting });
  const { status, stdout } = await pretended.ada.argus('run', '--json', 'exit 0');
  const state = await pretended.ada.argus('team', 'status');
  expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, data: { queued: true, code } });
  expect(stdout + state.stdout).toMatch(/is Argus 9\.1\.0, .*; update the older one/u);
});
