/** What a machine says of its team's server: that it takes what is recorded, or why not, with the command that mends it. */

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { BUNDLE, type Data, environment, someUser } from '../harness.ts';
import { repository, startServer, stopServers, type TeamServer, token } from './team.ts';

let server: TeamServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(stopServers);

/** A repository that has joined. */
async function joined() {
  const env = { ...someUser(), ARGUS_TEAM_TOKEN: await token(server.database, 'Ada') };
  const root = repository({ 'package.json': '{}', 'test/a.js': "require('node:test');" });
  expect(await argus(['team', 'join', server.url, '--as', 'shop', '--project', root], { env })).toMatchObject({
    status: 0,
  });
  return { env, root };
}

async function says(root: string, env: Record<string, string>) {
  const [status, doctor] = [
    await argus(['team', 'status', '--project', root], { env }),
    await argus(['doctor', '--project', root], { env }),
  ];
  return { status: [status.status, status.stdout], doctor: [doctor.status, /^.* team .*$/mu.exec(doctor.stdout)?.[0]] };
}

test('that it takes what is recorded', async () => {
  const { root, env } = await joined();
  expect(await says(root, env)).toEqual({
    status: [0, expect.stringContaining("as 'Ada' with the scope write")],
    doctor: [0, expect.stringMatching(/✓ team .*shop at .*, as 'Ada' with the scope write, a write works/u)],
  });
  const reading = { ...env, ARGUS_TEAM_TOKEN: await token(server.database, 'Eve', '--scope', 'read') };
  expect(await says(root, reading)).toEqual({
    status: [0, expect.stringContaining("as 'Eve' with the scope read")],
    doctor: [0, expect.stringMatching(/• team .*what is recorded here cannot be stored there/u)],
  });
});

test.each([
  ['no token', () => '', /ARGUS_TEAM_TOKEN holds no token.* argus token create NAME --project shop/u],
  ['an unknown one', () => 'argus_0123', /does not take the token: .* argus token create NAME --project shop/u],
  [
    'one for another project',
    () => token(server.database, 'Bob', '--project', 'till'),
    /The token is for till, not 'shop'.* argus team join \S+ --as till/u,
  ],
])('that it does not take %s', async (_, other, said) => {
  const { root, env } = await joined();
  expect(await says(root, { ...env, ARGUS_TEAM_TOKEN: await other() })).toEqual({
    status: [1, expect.stringMatching(said)],
    doctor: [1, expect.stringMatching(new RegExp(`✗ team .*${said.source}`, 'u'))],
  });
});

test('that it cannot be reached, and where nobody has joined nothing', async () => {
  const { root, env } = await joined();
  const moved = await startServer();
  const there = { ...env, ARGUS_TEAM_TOKEN: await token(moved.database, 'Ada') };
  await argus(['team', 'join', moved.url, '--as', 'shop', '--project', root], { env: there });
  await moved.stop();
  const said = /cannot be reached: .* argus serve.* argus team join URL --as shop/u;
  expect(await says(root, there)).toEqual({
    status: [1, expect.stringMatching(said)],
    doctor: [1, expect.stringMatching(new RegExp(`✗ team .*${said.source}`, 'u'))],
  });
  await argus(['team', 'leave', '--project', root], { env });
  expect(await says(root, env)).toEqual({
    status: [0, expect.stringContaining('belongs to no team')],
    doctor: [0, undefined],
  });
});

/** Answers as a server does, and calls with an error of its own. */
async function pretended() {
  const it = { protocol: { oldest: 1, newest: 1 }, error: { code: '', message: '' } };
  const http = createServer((request, response) => {
    const greeting = {
      name: 'argus',
      version: '9.0.0',
      protocol: it.protocol,
      recipe: 'r',
      token: { name: 'Ada', scope: 'write', projects: null },
    };
    const isGreeted = request.url === '/v1/hello';
    response.writeHead(isGreeted ? 200 : 500).end(JSON.stringify(isGreeted ? greeting : { error: it.error }));
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const address = http.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
  return { it, url, close: () => http.close() };
}

/** Not at once, as `argus` does: the server runs in this process. */
function asked(args: string[], env: Record<string, string>): Promise<{ status: number; data: Data }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [BUNDLE, ...args, '--json'], { env: environment(env) }, (_, stdout) => {
      resolve({ status: child.exitCode ?? 0, data: JSON.parse(stdout).data });
    });
  });
}

test('that it speaks another protocol', async () => {
  const { it, url, close } = await pretended();
  const env = { ...someUser(), ARGUS_TEAM_TOKEN: 'argus_0123' };
  const root = repository();
  await asked(['team', 'join', url, '--as', 'shop', '--project', root], env);
  for (const [protocol, said] of [
    [{ oldest: 2, newest: 3 }, /speaks the protocols 2 to 3, this program 1\. Update this one: npm install /u],
    [{ oldest: 0, newest: 0 }, /speaks the protocols 0 to 0, this program 1\. Update that one: .*argus migrate/u],
  ] as const) {
    it.protocol = protocol;
    expect(await asked(['team', 'status', '--project', root], env)).toMatchObject({
      status: 1,
      data: { joined: true, reachable: false, problem: expect.stringMatching(said) },
    });
  }
  close();
});

test.each(['PROTOCOL', 'DATABASE_NEWER', 'DATABASE_UNAVAILABLE'])(
  'what is recorded while it answers %s waits, for that is mended there',
  async (code) => {
    const { it, url, close } = await pretended();
    const env = { ...someUser(), ARGUS_TEAM_TOKEN: 'argus_0123' };
    const root = repository();
    await asked(['team', 'join', url, '--as', 'shop', '--project', root], env);
    it.error = { code, message: 'Something is wrong there.' };
    const { status, data } = await asked(['run', 'exit 0', '--project', root], env);
    expect({ status, data }).toMatchObject({ status: 0, data: { queued: true, code: 'TEAM_UNREACHABLE' } });
    expect(JSON.stringify(data)).toContain('takes nothing now: Something is wrong there.');
    close();
  },
);
