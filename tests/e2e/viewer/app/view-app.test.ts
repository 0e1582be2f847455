/**
 * The MCP App of argus_patterns, as clients of both protocol eras read it. How a chat shows it: view-app-page.test.ts.
 */

import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { BUNDLE, ERAS, type Era, environment, project } from '../../harness.ts';

const URI = 'ui://argus/patterns';
const MIME_TYPE = 'text/html;profile=mcp-app';
const EXTENSION = 'io.modelcontextprotocol/ui';

/** What a host that shows apps tells a server. */
const capabilities = { extensions: { [EXTENSION]: { mimeTypes: [MIME_TYPE] } } };
const parameters = () => ({ command: process.execPath, args: [BUNDLE], env: environment(), cwd: project() });

async function connected(era: Era) {
  const info = { name: 'argus-e2e', version: '1.0.0' };
  if (era === '2025') {
    const client = new LegacyClient(info, { capabilities });
    await client.connect(new LegacyTransport(parameters()));
    onTestFinished(() => client.close());
    return client;
  }
  const client = new ModernClient(info, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new ModernTransport(parameters()));
  onTestFinished(() => client.close());
  return client;
}

const read = z.object({
  contents: z.tuple([
    z.object({
      uri: z.literal(URI),
      mimeType: z.literal(MIME_TYPE),
      text: z.string(),
      _meta: z.object({ ui: z.object({ csp: z.strictObject({}) }) }),
    }),
  ]),
});

test.each(ERAS)('%s: the tool names a page, and the page can be read', async (era) => {
  const client = await connected(era);
  expect(client.getServerCapabilities()).toMatchObject({ extensions: { [EXTENSION]: { mimeTypes: [MIME_TYPE] } } });

  const { tools } = await client.listTools();
  const withApp = tools.filter((tool) => tool._meta !== undefined);
  expect(withApp.map(({ name, _meta }) => [name, _meta])).toEqual([['argus_patterns', { ui: { resourceUri: URI } }]]);

  const { resources } = await client.listResources();
  expect(resources).toMatchObject([{ uri: URI, mimeType: MIME_TYPE, _meta: { ui: { csp: {} } } }]);

  const { contents } = read.parse(await client.readResource({ uri: URI }));
  const html = contents[0].text;
  expect(html).toMatch(/^<!doctype html>/iu);
  // Everything is in it: the host's policy lets it load nothing.
  expect(html).not.toMatch(/<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["'](?!data:)/iu);
  expect(html).not.toMatch(/@import|url\(["']?https?:/iu);
});

test.each(ERAS)('%s: the answer is complete without the page', async (era) => {
  const client = await connected(era);
  const projectPath = project();
  await client.callTool({ name: 'argus_init', arguments: { projectPath } });
  const answer = await client.callTool({ name: 'argus_patterns', arguments: { projectPath } });
  const { content, structuredContent } = z
    .object({ content: z.tuple([z.object({ text: z.string() })]), structuredContent: z.unknown() })
    .parse(answer);
  expect(JSON.parse(content[0].text)).toEqual(structuredContent);
  expect(structuredContent).toMatchObject({ success: true, data: { builtInCount: 6 } });
});
