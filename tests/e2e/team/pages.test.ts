/** The requests of a browser to a team's server. In a real browser: pages.full.test.ts. */

import { beforeAll, expect, test } from 'vitest';
import { headers, post, startServer, type TeamServer, token } from './team.ts';

let server: TeamServer;
beforeAll(async () => {
  server = await startServer();
});

const INCIDENT = { title: 'The boiler is cold', steps: 'Relight the pilot flame.', worked: true, env: {} };

test('a cookie opens pages of a project, but not to scripts and other sites', async () => {
  const ada = await token(server.database, 'Ada', '--project', 'shop');
  const form = { method: 'POST', body: new URLSearchParams({ token: ada }), redirect: 'manual' } as const;
  const answer = await fetch(`${server.url}/login`, form);
  const cookie = answer.headers.get('set-cookie') ?? '';
  expect(answer.status).toBe(303);
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/u);
  await post(server, ada, 'addIncident', INCIDENT);
  const status = async (place: string, more: Record<string, string> = {}) => {
    const own = { Cookie: cookie.split(';')[0] ?? '', 'Content-Type': 'application/json', ...more };
    return (await fetch(`${server.url}/p/${place}/api/viewIncidents`, { method: 'POST', body: '{}', headers: own }))
      .status;
  };
  expect(await status('shop')).toBe(200);
  expect(await status('bank')).toBe(403);
  expect(await status('shop', { Origin: 'https://evil.example.com' })).toBe(401);
  expect(await status('shop', { 'Sec-Fetch-Site': 'cross-site' })).toBe(401);
  expect(await status('shop', { 'Content-Type': 'text/plain' })).toBe(415);
});

test('a cookie with an unknown token redirects to the form', async () => {
  const answer = await fetch(server.url, { headers: { Cookie: `argus_token=argus_012345678901_${'A'.repeat(43)}` } });
  expect(answer.status).toBe(401);
  expect(await answer.text()).toContain('<form method="post" action="/login">');
});

test('a token with the scope read changes nothing', async () => {
  const own = headers(await token(server.database, 'Eve', '--scope', 'read'));
  const status = async (call: string) => {
    const body = JSON.stringify({ id: 'pat-1', description: 'Mine' });
    return (await fetch(`${server.url}/p/shop/api/${call}`, { method: 'POST', body, headers: own })).status;
  };
  expect([await status('editPattern'), await status('createToken')]).toEqual([403, 404]);
  const about = await (await fetch(`${server.url}/p/shop/api/about`, { headers: own })).json();
  expect(about).toMatchObject({ editable: false });
});

test('notifies an open page of a write to its project', async () => {
  const ada = await token(server.database, 'Ada');
  const events = await fetch(`${server.url}/p/live/api/events`, { headers: headers(ada) });
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
  await post(server, ada, 'addIncident', INCIDENT, { project: 'live' });
  let said = '';
  while (!said.includes('changed')) said += (await reader?.read())?.value;
  await reader?.cancel();
});
