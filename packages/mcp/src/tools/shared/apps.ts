/**
 * MCP Apps: pages that a chat client shows inside a conversation. A page draws the answer of a tool. Hosts let it load
 * nothing and run no wasm. Clients without apps lose nothing, because the text of the answer has all the data.
 */

import { readFile } from 'node:fs/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { assetPath } from '../../http/page.ts';

/** The page that argus_patterns names. */
export const PATTERNS_APP = 'ui://argus/patterns';

const MIME_TYPE = 'text/html;profile=mcp-app';

/** The capability by which a server announces its pages. */
export const APPS_CAPABILITY = { 'io.modelcontextprotocol/ui': { mimeTypes: [MIME_TYPE] } };

/** The page may load nothing from anywhere, and the host draws the frame. */
const META = { ui: { csp: {}, prefersBorder: true } };

const CONFIG = {
  title: 'Failure patterns',
  description: 'Table of the patterns that argus_patterns answers',
  mimeType: MIME_TYPE,
};

export function registerApps(server: McpServer): void {
  server.registerResource('patterns-app', PATTERNS_APP, { ...CONFIG, _meta: META }, async (uri) => {
    const text = await readFile(assetPath('app'), 'utf8');
    return { contents: [{ uri: uri.href, mimeType: MIME_TYPE, text, _meta: META }] };
  });
}
