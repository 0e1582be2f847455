/**
 * `team status` and `doctor` report whether the team's server accepts calls of this machine, and name a helpful
 * command.
 */

import { beforeAll, expect, test } from 'vitest';
import { joinFakeTeam, jsonAnswer } from './pretended.ts';
import { createMember, createRepository, createToken, type Machine, startServer, type TeamServer } from './team.ts';

let teamServer: TeamServer;
beforeAll(async () => {
  teamServer = await startServer();
});

function joinTeam(of = teamServer): Promise<Machine> {
  return createMember(of, 'Ada', createRepository({ 'package.json': '{}', 'test/a.js': "require('node:test');" }));
}

async function expectReports(machine: Machine, status: [number, RegExp], doctor: [number, RegExp]): Promise<void> {
  const [state, check] = [await machine.argus('team', 'status'), await machine.argus('doctor')];
  expect([state.status, state.stdout]).toEqual([status[0], expect.stringMatching(status[1])]);
  const line = /^.* team .*$/mu.exec(check.stdout)?.[0] ?? '';
  expect([check.status, line]).toEqual([doctor[0], expect.stringMatching(doctor[1])]);
}

test('a reachable server and the scope of the token are reported', async () => {
  const ada = await joinTeam();
  await expectReports(
    ada,
    [0, /as 'Ada' with the scope write/u],
    [0, /✓ team .*shop at .*, as 'Ada' with the scope write, writable/u],
  );
  ada.env.ARGUS_TEAM_TOKEN = await createToken(teamServer.database, 'Eve', '--scope', 'read');
  await expectReports(
    ada,
    [0, /as 'Eve' with the scope read/u],
    [0, /• team .*this token cannot store runs, because it may only read/u],
  );
  await ada.argus('team', 'leave');
  await expectReports(ada, [0, /does not belong to a team/u], [0, /^$/u]);
});

test.each<[string, () => string | Promise<string>, string]>([
  ['no token', () => '', 'ARGUS_TEAM_TOKEN is not set.* argus token create NAME --project shop'],
  ['an unknown token', () => 'argus_0123', 'rejects the token: .* argus token create NAME --project shop'],
  [
    'a token for another project',
    () => createToken(teamServer.database, 'Bob', '--project', 'till'),
    "The token is for till, not 'shop'.* argus team join \\S+ --as till",
  ],
])('%s is a problem, and the helpful command is named', async (_, other, said) => {
  const ada = await joinTeam();
  ada.env.ARGUS_TEAM_TOKEN = await other();
  await expectReports(ada, [1, new RegExp(said, 'u')], [1, new RegExp(`✗ team .*${said}`, 'u')]);
});

test('an unreachable server is a problem, and the helpful commands are named', async () => {
  const away = await startServer();
  const ada = await joinTeam(away);
  await away.stop();
  const said = 'cannot be reached: .* argus serve.* argus team join URL --as shop';
  await expectReports(ada, [1, new RegExp(said, 'u')], [1, new RegExp(`✗ team .*${said}`, 'u')]);
});

test.each([
  [
    { oldest: 2, newest: 3 },
    /supports protocols 2 to 3, but this program supports 1\. Update this program: npm install /u,
  ],
  [
    { oldest: 0, newest: 0 },
    /supports protocols 0 to 0, but this program supports 1\. Update the server: .*argus migrate/u,
  ],
])('a server with the protocols %j is a problem, and the older side is named', async (protocol, said) => {
  const { ada, greeting } = await joinFakeTeam(jsonAnswer(500, {}));
  greeting.protocol = protocol;
  const { status, stdout } = await ada.argus('team', 'status');
  expect([status, stdout]).toEqual([1, expect.stringMatching(said)]);
});

test.each([
  ['greets in an unknown form', { token: 'of another kind' }, 'TEAM_UNREACHABLE'],
  ['refuses an unknown field', {}, 'TEAM_UNREACHABLE'],
])('a server of another version that %s is named with its version', async (_, greeting, code) => {
  const error = { code: 'INVALID_INPUT', message: 'params: unknown field' };
  const pretended = await joinFakeTeam(jsonAnswer(400, { error }));
  Object.assign(pretended.greeting, { version: '9.1.0', ...greeting });
  const { status, stdout } = await pretended.ada.argus('run', '--json', 'exit 0');
  const state = await pretended.ada.argus('team', 'status');
  expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, data: { queued: true, code } });
  expect(stdout + state.stdout).toMatch(/Argus 9\.1\.0, .*; update the older program/u);
});
