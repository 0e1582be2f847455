/** A team's memory in a browser: a user enters the token once, and a page shows only the token's projects. */

import { expect } from 'vitest';
import { newContext, openWatchedPage, testInBrowser } from '../viewer/chromium.ts';
import { createToken, postCall, startServer } from './team.ts';

const INCIDENT = { title: 'The boiler is cold', steps: 'Relight the pilot flame.', worked: true, env: {} };

testInBrowser(
  'after a token was entered, pages show its projects and their changes, and no address has the token',
  async () => {
    const server = await startServer();
    const ada = await createToken(server.database, 'Ada', '--scope', 'edit', '--project', 'shop', 'till');
    for (const project of ['shop', 'till', 'bank']) {
      await postCall(server, await createToken(server.database, 'Root'), 'addIncident', INCIDENT, { project });
    }
    const { page, complaints, requests } = await openWatchedPage(await newContext());
    await page.goto(server.url);
    await page.getByLabel('Token').fill('argus_0123');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Token').fill(ada);
    await page.getByRole('button', { name: 'Open' }).click();
    expect(await page.getByRole('link').allTextContents()).toEqual(['shop', 'till']);
    await page.getByRole('link', { name: 'shop' }).click();
    await page.getByRole('heading', { name: 'Nothing is recorded yet' }).waitFor();
    await postCall(server, ada, 'recordRun', {
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
    await postCall(server, ada, 'addIncident', { ...INCIDENT, title: 'The pump rattles' });
    await page.getByText('The pump rattles').first().waitFor();
    expect(await page.evaluate(() => document.cookie)).toBe('');
    expect(requests.filter((url) => url.includes(ada))).toEqual([]);
    // The browser logs the 401 answer for the wrong token.
    expect(complaints.filter((line) => !line.includes('401'))).toEqual([]);

    await page.goto(`${server.url}/p/bank/`);
    expect(await page.content()).toContain('cannot read');
  },
);
