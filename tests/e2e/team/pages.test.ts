/** Tests the requests of a browser to a team's server. pages.full.test.ts uses a real browser. */

import { beforeAll, expect, test } from 'vitest';
import { createToken, postCall, requestHeaders, startServer, type TeamServer } from './team.ts';

let teamServer: TeamServer;
beforeAll(async () => {
  teamServer = await startServer();
});

const INCIDENT = { title: 'The boiler is cold', steps: 'Relight the pilot flame.', worked: true, env: {} };

test("a cookie gives access to a project's pages, but scripts and other sites cannot use it", async () => {
  const ada = await createToken(teamServer.database, 'Ada', '--project', 'shop');
  const form = { method: 'POST', body: new URLSearchParams({ token: ada }), redirect: 'manual' } as const;
  const answer = await fetch(`${teamServer.url}/login`, form);
  const cookie = answer.headers.get('set-cookie') ?? '';
  expect(answer.status).toBe(303);
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/u);
  await postCall(teamServer, ada, 'addIncident', INCIDENT);
  const status = async (place: string, more: Record<string, string> = {}) => {
    const own = { Cookie: cookie.split(';')[0] ?? '', 'Content-Type': 'application/json', ...more };
    return (await fetch(`${teamServer.url}/p/${place}/api/viewIncidents`, { method: 'POST', body: '{}', headers: own }))
      .status;
  };
  expect(await status('shop')).toBe(200);
  expect(await status('bank')).toBe(403);
  expect(await status('shop', { Origin: 'https://evil.example.com' })).toBe(401);
  expect(await status('shop', { 'Sec-Fetch-Site': 'cross-site' })).toBe(401);
  expect(await status('shop', { 'Content-Type': 'text/plain' })).toBe(415);
});

test('a cookie with an unknown token redirects to the login form', async () => {
  const answer = await fetch(teamServer.url, {
    headers: { Cookie: `argus_token=argus_012345678901_${'A'.repeat(43)}` },
  });
  expect(answer.status).toBe(401);
  expect(await answer.text()).toContain('<form method="post" action="/login">');
});

test('a token with the scope read changes nothing', async () => {
  const own = requestHeaders(await createToken(teamServer.database, 'Eve', '--scope', 'read'));
  const status = async (call: string) => {
    const body = JSON.stringify({ id: 'pat-1', description: 'Mine' });
    return (await fetch(`${teamServer.url}/p/shop/api/${call}`, { method: 'POST', body, headers: own })).status;
  };
  expect([await status('editPattern'), await status('createToken')]).toEqual([403, 404]);
  const about = await (await fetch(`${teamServer.url}/p/shop/api/about`, { headers: own })).json();
  expect(about).toMatchObject({ editable: false });
});

test('an open page is notified of a write to its project', async () => {
  const ada = await createToken(teamServer.database, 'Ada');
  const events = await fetch(`${teamServer.url}/p/live/api/events`, { headers: requestHeaders(ada) });
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
  await postCall(teamServer, ada, 'addIncident', INCIDENT, { project: 'live' });
  let said = '';
  while (!said.includes('changed')) said += (await reader?.read())?.value;
  await reader?.cancel();
});
