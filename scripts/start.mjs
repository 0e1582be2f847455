// `npm start`: sets up, builds, runs the demo session with a real agent client, and prints how to add Argus. `npm start
// -- --project DIR` runs the session on the user's own project. tests/demo/session.mjs implements the session.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from './build.mjs';
import { commandEnvironment, root } from './lib/exec.mjs';
import { bold, runMain } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

await runMain(async () => {
  await setUp();
  await build({ quick: true });
  const code = await runSession(process.argv.slice(2));
  if (code === 0) console.log(formatAddInstructions(join(root, 'packages', 'mcp', 'dist', 'cli.mjs')));
  return code;
});

function runSession(args) {
  const script = join(root, 'tests', 'demo', 'session.mjs');
  const child = spawn(process.execPath, [script, ...args], { env: commandEnvironment, stdio: 'inherit' });
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

/** Returns instructions for this checkout. Once the names are published, `npx -y argus-mcp` replaces `node ${cli}`. */
function formatAddInstructions(cli) {
  const entry = JSON.stringify({ command: 'node', args: [cli] });
  return `
${bold('Add Argus to your agent')}
  Claude Code  claude mcp add argus -- node ${cli}
  Codex        codex mcp add argus -- node ${cli}
  VS Code      code --add-mcp '${JSON.stringify({ name: 'argus', command: 'node', args: [cli] })}'
  Cursor       .cursor/mcp.json: {"mcpServers":{"argus":${entry}}}

Try it on a project of yours: npm start -- --project DIR`;
}
