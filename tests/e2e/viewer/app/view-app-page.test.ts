/**
 * The MCP App as a chat shows it: in a sandboxed frame under the policy of a host, fed with what the tool has really
 * answered. How a host finds it: view-app.test.ts.
 */

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import axe from 'axe-core';
import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { z } from 'zod';
import { BUNDLE, environment } from '../../harness.ts';
import { browsing, newContext } from '../chromium.ts';
import { FIX, HOSTILE, hostileProject, rememberedProject } from '../view-memory.ts';

const resource = z.object({ contents: z.tuple([z.object({ text: z.string() })]) });

/** The page and the answer, over the protocol. */
async function overMcp(projectPath: string, args: object = {}): Promise<{ html: string; answer: unknown }> {
  const client = new Client({ name: 'argus-e2e', version: '1.0.0' });
  const command = { command: process.execPath, args: [BUNDLE], env: environment(), cwd: projectPath };
  await client.connect(new StdioClientTransport(command));
  try {
    await client.callTool({ name: 'argus_init', arguments: { projectPath } });
    const answer = await client.callTool({ name: 'argus_patterns', arguments: { projectPath, ...args } });
    const { contents } = resource.parse(await client.readResource({ uri: 'ui://argus/patterns' }));
    return { html: contents[0].text, answer };
  } finally {
    await client.close();
  }
}

/** What hosts give an app that asks for nothing. */
const HOST_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'";

/** Puts the page into a frame, greets it as a host does, and hands it the answer. */
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

async function shown(
  { html, answer }: { html: string; answer: unknown },
  options: BrowserContextOptions = {},
): Promise<Shown> {
  const page = await (await newContext(options)).newPage();
  const complaints: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => complaints.push(String(error)));
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

browsing('the table stands in the conversation, in the colours of the host', async () => {
  const { root } = await rememberedProject();
  const { page, app, complaints } = await shown(await overMcp(root));
  const row = app.getByRole('row').filter({ hasText: 'Cannot read properties' });
  await row.waitFor();
  expect(await app.getByRole('row').count()).toBe(9);
  const unseen = app.getByRole('row').filter({ hasText: 'Container killed for exceeding its memory limit' });
  expect(await unseen.textContent()).toContain('never');
  await app.locator('[data-search]').fill('valve');
  await row.waitFor({ state: 'detached' });
  await app.getByRole('row').filter({ hasText: 'the red valve does not close' }).waitFor();
  expect(await app.locator('html').getAttribute('data-theme')).toBe('dark');
  const said = await page.evaluate(() => ('said' in window ? JSON.stringify(window.said) : ''));
  expect(said).toContain('ui/notifications/size-changed');
  expect(said).not.toContain('tools/call');
  expect(complaints).toEqual([]);
});

browsing('the fix is there, and axe finds nothing', async () => {
  const { root } = await rememberedProject();
  const { page, app } = await shown(await overMcp(root, { source: 'learned' }), { bypassCSP: true });
  await app.getByRole('row').filter({ hasText: 'Cannot read properties' }).first().waitFor();
  expect(await app.locator('body').textContent()).toContain(FIX);
  const frame = page.frames().find((one) => one !== page.mainFrame());
  await frame?.evaluate(axe.source);
  const found = z
    .object({ violations: z.array(z.object({ id: z.string() })) })
    .parse(await frame?.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })"));
  expect(found.violations).toEqual([]);
});

browsing('hostile texts are text', async () => {
  const { root } = await hostileProject();
  const { page, app, complaints } = await shown(await overMcp(root));
  await app.getByRole('row').filter({ hasText: HOSTILE[0] }).first().waitFor();
  const frame = page.frames().find((one) => one !== page.mainFrame());
  expect(await frame?.evaluate(() => 'hacked' in window)).toBe(false);
  expect(await app.locator('main img, main script, main a[href^="javascript:"]').count()).toBe(0);
  expect(complaints).toEqual([]);
});

browsing.each([
  ['an error', { isError: true, content: [{ type: 'text', text: '{}' }] }],
  ['something else', { structuredContent: { success: true, data: { runs: [] } } }],
  ['nothing', {}],
])('%s in place of patterns is said', async (_name, answer) => {
  const { root } = await rememberedProject();
  const { html } = await overMcp(root);
  const { app } = await shown({ html, answer });
  await app.getByText('The tool answered with an error').waitFor();
});
