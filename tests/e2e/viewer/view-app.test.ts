/**
 * The MCP App of argus_patterns: clients of both protocol eras find and read it, and a chat shows it with the tool's
 * answer in a sandboxed frame under the policy of a host.
 */

import { InMemoryTransport, Client as ModernClient } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import axe from 'axe-core';
import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createEnvironment, createProject, type Era, PROTOCOL_ERAS } from '../harness.ts';
import { serveInProcess } from '../in-process-server.ts';
import { newContext, openWatchedPage, testInBrowser } from './chromium.ts';
import { createHostileProject, createRememberedProject, FIX_STEPS, HOSTILE_TEXTS } from './view-memory.ts';

const APP_URI = 'ui://argus/patterns';
const MIME_TYPE = 'text/html;profile=mcp-app';
const EXTENSION = 'io.modelcontextprotocol/ui';

/** The capabilities that a host with support for apps sends to a server. */
const appCapabilities = { extensions: { [EXTENSION]: { mimeTypes: [MIME_TYPE] } } };

const openClients: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(openClients.map((server) => server.close())));

async function connectClient(era: Era, cwd = createProject()) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = serveInProcess(far, { env: createEnvironment(), cwd, isImpatient: false });
  openClients.push(server);
  const info = { name: 'argus-e2e', version: '1.0.0' };
  if (era === '2025') {
    const client = new LegacyClient(info, { capabilities: appCapabilities });
    await client.connect(near);
    return client;
  }
  const client = new ModernClient(info, { capabilities: appCapabilities, versionNegotiation: { mode: { pin: era } } });
  await client.connect(near);
  return client;
}

const appPageSchema = z.object({
  uri: z.literal(APP_URI),
  mimeType: z.literal(MIME_TYPE),
  text: z.string(),
  _meta: z.object({ ui: z.object({ csp: z.strictObject({}) }) }),
});
const resourceSchema = z.object({ contents: z.tuple([appPageSchema]) });

test.each(PROTOCOL_ERAS)('%s: the tool names a page, and the page can be read', async (era) => {
  const client = await connectClient(era);
  expect(client.getServerCapabilities()).toMatchObject(appCapabilities);

  const { tools } = await client.listTools();
  const withApp = tools.filter((tool) => tool._meta !== undefined);
  expect(withApp.map(({ name, _meta }) => [name, _meta])).toEqual([
    ['argus_patterns', { ui: { resourceUri: APP_URI } }],
  ]);

  const { resources } = await client.listResources();
  expect(resources).toMatchObject([{ uri: APP_URI, mimeType: MIME_TYPE, _meta: { ui: { csp: {} } } }]);

  const { contents } = resourceSchema.parse(await client.readResource({ uri: APP_URI }));
  const html = contents[0].text;
  expect(html).toMatch(/^<!doctype html>/iu);
  // The page must be self-contained, because the host's policy does not let the page load anything.
  expect(html).not.toMatch(/<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["'](?!data:)/iu);
  expect(html).not.toMatch(/@import|url\(["']?https?:/iu);
});

interface AppContent {
  html: string;
  answer: unknown;
}

/** Returns the page and the tool's answer about a project. */
async function readAppOverMcp(projectPath: string): Promise<AppContent> {
  const client = await connectClient('2026-07-28', projectPath);
  await client.callTool({ name: 'argus_init', arguments: { projectPath } });
  const answer = await client.callTool({ name: 'argus_patterns', arguments: { projectPath } });
  const { contents } = resourceSchema.parse(await client.readResource({ uri: APP_URI }));
  return { html: contents[0].text, answer };
}

/** The policy that hosts apply to an app that requests no permissions. */
const HOST_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'";

/** Shows the page in a frame, initializes it as a host does, and sends it the tool's answer. */
const HOST_PAGE = `<!doctype html><title>host</title><iframe sandbox="allow-scripts" width="800" height="600"></iframe><script>
const frame = document.querySelector('iframe');
window.said = [];
addEventListener('message', ({ data, source }) => {
  if (source !== frame.contentWindow) return;
  said.push(data);
  const send = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  if (data.method === 'ui/initialize') {
    const hostContext = { theme: 'dark', locale: 'en-US' };
    send({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo: {}, hostCapabilities: {}, hostContext } });
  }
  if (data.method === 'ui/notifications/initialized') {
    send({ method: 'ui/notifications/tool-result', params: window.answer });
  }
});
window.show = (html, answer) => {
  window.answer = answer;
  frame.srcdoc = html;
};
</script>`;

interface ShownApp {
  page: Page;
  app: FrameLocator;
  complaints: string[];
}

async function showApp({ html, answer }: AppContent, options: BrowserContextOptions = {}): Promise<ShownApp> {
  const { page, complaints } = await openWatchedPage(await newContext(options));
  await page.route('http://host.example/', (route) => route.fulfill({ contentType: 'text/html', body: HOST_PAGE }));
  await page.goto('http://host.example/');
  const policed = html.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${HOST_POLICY}">`);
  await page.evaluate(
    ([source, given]) => {
      if ('show' in window && typeof window.show === 'function') window.show(source, given);
    },
    [policed, answer] as const,
  );
  return { page, app: page.frameLocator('iframe'), complaints };
}

const { root } = await createRememberedProject();
const appContent = await readAppOverMcp(root);

testInBrowser('shows the table of the answer in the conversation, in the colors of the host', async () => {
  const { page, app, complaints } = await showApp(appContent);
  const row = (words: string) => app.getByRole('row').filter({ hasText: words });
  await row('Cannot read properties').waitFor();
  expect(await row('Cannot read properties').textContent()).toContain(FIX_STEPS);
  // A header, six built-in patterns, two learned patterns and two provisional patterns.
  expect(await app.getByRole('row').count()).toBe(11);
  expect(await row('Container killed for exceeding its memory limit').textContent()).toContain('never');
  await app.locator('[data-search]').fill('valve');
  await row('Cannot read properties').waitFor({ state: 'detached' });
  await row('the red valve does not close').waitFor();
  expect(await app.locator('html').getAttribute('data-theme')).toBe('dark');
  const said = await page.evaluate(() => ('said' in window ? JSON.stringify(window.said) : ''));
  expect(said).toContain('ui/notifications/size-changed');
  expect(said).not.toContain('tools/call');
  expect(complaints).toEqual([]);
});

testInBrowser('axe finds nothing in the table', async () => {
  // Bypasses the page's policy, because the policy blocks the scripts of axe.
  const { page, app } = await showApp(appContent, { bypassCSP: true });
  await app.getByRole('row').filter({ hasText: 'Cannot read properties' }).waitFor();
  const frame = page.frames().find((one) => one !== page.mainFrame());
  await frame?.evaluate(axe.source);
  const found = await frame?.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })");
  expect(found).toMatchObject({ violations: [] });
});

testInBrowser('shows hostile texts as text', async () => {
  const { page, app, complaints } = await showApp(await readAppOverMcp((await createHostileProject()).root));
  await app.getByRole('row').filter({ hasText: HOSTILE_TEXTS[0] }).first().waitFor();
  const frame = page.frames().find((one) => one !== page.mainFrame());
  expect(await frame?.evaluate(() => 'hacked' in window)).toBe(false);
  expect(await app.locator('main img, main script, main a[href^="javascript:"]').count()).toBe(0);
  expect(complaints).toEqual([]);
});

testInBrowser('shows a message for an error instead of patterns', async () => {
  const { app } = await showApp({ ...appContent, answer: { isError: true, content: [{ type: 'text', text: '{}' }] } });
  await app.getByText('The tool answered with an error').waitFor();
});
