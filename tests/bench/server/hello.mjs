// The smallest possible server of the SDK, with as many tools as Argus, for spawn.mjs.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

// The bundler replaces HELLO_TOOLS.
const TOOLS = HELLO_TOOLS;
const input = z.strictObject({ name: z.string().describe('Whom to greet') });
const output = z.strictObject({ text: z.string().describe('The greeting') });

serveStdio(() => {
  const server = new McpServer(
    { name: 'hello', version: '1.0.0' },
    { capabilities: { tools: { listChanged: false } } },
  );
  for (let index = 0; index < TOOLS; index += 1) {
    const about = { title: `Hello ${index}`, description: 'Says hello.', inputSchema: input, outputSchema: output };
    server.registerTool(`hello_${index}`, about, ({ name }) => {
      const text = `Hello ${name}`;
      return { content: [{ type: 'text', text }], structuredContent: { text } };
    });
  }
  return server;
});
