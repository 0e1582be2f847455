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
import { ERAS, type Era, environment, project } from '../harness.ts';
import { serveInProcess } from '../in-process-server.ts';
import { browsing, newContext, watchedPage } from './chromium.ts';
import { FIX, HOSTILE, hostileProject, rememberedProject } from './view-memory.ts';

const URI = 'ui://argus/patterns';
const MIME_TYPE = 'text/html;profile=mcp-app';
const EXTENSION = 'io.modelcontextprotocol/ui';

/** The capabilities that a host with support for apps sends to a server. */
const capabilities = { extensions: { [EXTENSION]: { mimeTypes: [MIME_TYPE] } } };

const servers: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function connected(era: Era, cwd = project()) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = serveInProcess(far, { env: environment(), cwd, isImpatient: false });
  servers.push(server);
  const info = { name: 'argus-e2e', version: '1.0.0' };
  if (era === '2025') {
    const client = new LegacyClient(info, { capabilities });
    await client.connect(near);
    return client;
  }
  const client = new ModernClient(info, { capabilities, versionNegotiation: { mode: { pin: era } } });
  await client.connect(near);
  return client;
}

const appPage = z.object({
  uri: z.literal(URI),
  mimeType: z.literal(MIME_TYPE),
  text: z.string(),
  _meta: z.object({ ui: z.object({ csp: z.strictObject({}) }) }),
});
const read = z.object({ contents: z.tuple([appPage]) });

test.each(ERAS)('%s: the tool names a page, and the page can be read', async (era) => {
  const client = await connected(era);
  expect(client.getServerCapabilities()).toMatchObject(capabilities);

  const { tools } = await client.listTools();
  const withApp = tools.filter((tool) => tool._meta !== undefined);
  expect(withApp.map(({ name, _meta }) => [name, _meta])).toEqual([['argus_patterns', { ui: { resourceUri: URI } }]]);

  const { resources } = await client.listResources();
  expect(resources).toMatchObject([{ uri: URI, mimeType: MIME_TYPE, _meta: { ui: { csp: {} } } }]);

  const { contents } = read.parse(await client.readResource({ uri: URI }));
  const html = contents[0].text;
  expect(html).toMatch(/^<!doctype html>/iu);
  // The page must be self-contained, because the host's policy blocks all loading.
  expect(html).not.toMatch(/<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["'](?!data:)/iu);
  expect(html).not.toMatch(/@import|url\(["']?https?:/iu);
});

interface Given {
  html: string;
  answer: unknown;
}

/** Returns the page and the tool's answer about a project. */
async function overMcp(projectPath: string): Promise<Given> {
  const client = await connected('2026-07-28', projectPath);
  await client.callTool({ name: 'argus_init', arguments: { projectPath } });
  const answer = await client.callTool({ name: 'argus_patterns', arguments: { projectPath } });
  const { contents } = read.parse(await client.readResource({ uri: URI }));
  return { html: contents[0].text, answer };
}

test('the answer is complete without the page', async () => {
  const { answer } = await overMcp(project());
  const { content, structuredContent } = z
    .object({ content: z.tuple([z.object({ text: z.string() })]), structuredContent: z.unknown() })
    .parse(answer);
  expect(JSON.parse(content[0].text)).toEqual(structuredContent);
  expect(structuredContent).toMatchObject({ success: true, data: { builtInCount: 6 } });
});

/** The policy of hosts for an app that requests no permissions. */
const HOST_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'";

/** Shows the page in a frame, initializes it as a host does, and sends it the answer. */
const HOST = `<!doctype html><title>host</title><iframe sandbox="allow-scripts" width="800" height="600"></iframe><script>
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

interface Shown {
  page: Page;
  app: FrameLocator;
  complaints: string[];
}

async function shown({ html, answer }: Given, options: BrowserContextOptions = {}): Promise<Shown> {
  const { page, complaints } = await watchedPage(await newContext(options));
  await page.route('http://host.example/', (route) => route.fulfill({ contentType: 'text/html', body: HOST }));
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

const { root } = await rememberedProject();
const given = await overMcp(root);

browsing('shows the table of the answer in the conversation, in the colors of the host', async () => {
  const { page, app, complaints } = await shown(given);
  const row = (words: string) => app.getByRole('row').filter({ hasText: words });
  await row('Cannot read properties').waitFor();
  expect(await row('Cannot read properties').textContent()).toContain(FIX);
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

browsing('axe finds nothing in the table', async () => {
  // Bypasses the page's policy, because it blocks the scripts of axe.
  const { page, app } = await shown(given, { bypassCSP: true });
  await app.getByRole('row').filter({ hasText: 'Cannot read properties' }).waitFor();
  const frame = page.frames().find((one) => one !== page.mainFrame());
  await frame?.evaluate(axe.source);
  const found = await frame?.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })");
  expect(found).toMatchObject({ violations: [] });
});

browsing('shows hostile texts as text', async () => {
  const { page, app, complaints } = await shown(await overMcp((await hostileProject()).root));
  await app.getByRole('row').filter({ hasText: HOSTILE[0] }).first().waitFor();
  const frame = page.frames().find((one) => one !== page.mainFrame());
  expect(await frame?.evaluate(() => 'hacked' in window)).toBe(false);
  expect(await app.locator('main img, main script, main a[href^="javascript:"]').count()).toBe(0);
  expect(complaints).toEqual([]);
});

browsing('shows a message for an error instead of patterns', async () => {
  const { app } = await shown({ ...given, answer: { isError: true, content: [{ type: 'text', text: '{}' }] } });
  await app.getByText('The tool answered with an error').waitFor();
});
