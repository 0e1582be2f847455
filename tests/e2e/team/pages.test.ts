/** A team's memory in a browser: a token is entered once, and a page shows what it may see. */

import { afterAll, expect, test } from 'vitest';
import { browsing, newContext, watchedPage } from '../viewer/chromium.ts';
import { post, startServer, stopServers, token } from './team.ts';

afterAll(stopServers);

const INCIDENT = { title: 'The boiler is cold', steps: 'Relight the pilot flame.', worked: true, env: {} };

browsing('a token that is entered shows its projects, live, and stays out of every address', async () => {
  const server = await startServer();
  const ada = await token(server.database, 'Ada', '--scope', 'edit', '--project', 'shop', 'till');
  for (const project of ['shop', 'till', 'bank']) {
    await post(server, await token(server.database, 'Root'), 'addIncident', INCIDENT, { project });
  }
  const { page, complaints, requests } = await watchedPage(await newContext());
  await page.goto(server.url);
  await page.getByLabel('Token').fill('argus_0123');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Token').fill(ada);
  await page.getByRole('button', { name: 'Open' }).click();
  expect(await page.getByRole('link').allTextContents()).toEqual(['shop', 'till']);
  await page.getByRole('link', { name: 'shop' }).click();
  await page.getByRole('heading', { name: 'Nothing is recorded yet' }).waitFor();
  await post(server, ada, 'recordRun', {
    command: 'npm test',
    exitCode: 1,
    timedOut: false,
    reports: [],
    containers: [],
    notes: [],
    outputTail: 'OddError: the boiler is cold',
  });
  await page.getByRole('heading', { name: 'The newest run failed: 1 failure, 1 cause' }).waitFor();
  await page.goto(`${server.url}/p/shop/#/incidents`);
  await page.getByText('The boiler is cold').first().waitFor();
  await post(server, ada, 'addIncident', { ...INCIDENT, title: 'The pump rattles' });
  await page.getByText('The pump rattles').first().waitFor();
  expect(await page.evaluate(() => document.cookie)).toBe('');
  expect(requests.filter((url) => url.includes(ada))).toEqual([]);
  // The browser says that a wrong token was refused.
  expect(complaints.filter((line) => !line.includes('401'))).toEqual([]);

  await page.goto(`${server.url}/p/bank/`);
  expect(await page.content()).toContain('may not see');
});

test('a cookie is kept from scripts and from other sites', async () => {
  const server = await startServer();
  const ada = await token(server.database, 'Ada');
  const form = { method: 'POST', body: new URLSearchParams({ token: ada }), redirect: 'manual' } as const;
  const answer = await fetch(`${server.url}/login`, form);
  const cookie = answer.headers.get('set-cookie') ?? '';
  expect(answer.status).toBe(303);
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/u);
  await post(server, ada, 'addIncident', INCIDENT);
  const asked = (headers: Record<string, string>) =>
    fetch(`${server.url}/p/shop/api/viewIncidents`, {
      method: 'POST',
      body: '{}',
      headers: { Cookie: cookie.split(';')[0] ?? '', 'Content-Type': 'application/json', ...headers },
    });
  expect((await asked({})).status).toBe(200);
  expect((await asked({ Origin: 'https://evil.example.com' })).status).toBe(401);
  expect((await asked({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(401);
  expect((await asked({ 'Content-Type': 'text/plain' })).status).toBe(415);
});

test('a cookie that is over leads back to where a token is entered', async () => {
  const server = await startServer();
  const answer = await fetch(server.url, { headers: { Cookie: `argus_token=argus_012345678901_${'A'.repeat(43)}` } });
  expect(answer.status).toBe(401);
  expect(await answer.text()).toContain('<form method="post" action="/login">');
});

test('who may only read changes nothing', async () => {
  const server = await startServer();
  const reader = await token(server.database, 'Eve', '--scope', 'read');
  const headers = { Authorization: `Bearer ${reader}`, 'Content-Type': 'application/json' };
  const edit = { method: 'POST', body: JSON.stringify({ id: 'pat-1', description: 'Mine' }), headers };
  expect((await fetch(`${server.url}/p/shop/api/editPattern`, edit)).status).toBe(403);
  expect((await fetch(`${server.url}/p/shop/api/createToken`, edit)).status).toBe(404);
  expect((await fetch(`${server.url}/p/shop/api/about`, { headers })).json()).resolves.toMatchObject({
    editable: false,
  });
});
