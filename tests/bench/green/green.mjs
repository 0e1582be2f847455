// Does a memory of past fixes help? Plays red-to-green pairs of public repositories, which pairs.jsonl lists, and
// compares how soon a scripted repairer finds the fault again with Argus, with other memories and without a memory.
// Takes hours, and continues where an interrupted run ended (ARGUS_GREEN_DIR is its work folder):
//
//   npm run bench -- green [--repos DIR] [--jobs COUNT] [--unrelated COUNT]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeReport } from '../measure.mjs';
import { WORK } from './checkout.mjs';
import { formatReport } from './report.mjs';
import { REPOSITORIES } from './repositories.mjs';

const { values } = parseArgs({
  options: {
    repos: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    unrelated: { type: 'string', default: '4' },
    'only-report': { type: 'boolean' },
  },
});
mkdirSync(WORK, { recursive: true });
const waiting = values['only-report'] ? [] : REPOSITORIES.map(({ repository }) => repository);

async function work() {
  for (let repository = waiting.shift(); repository !== undefined; repository = waiting.shift()) {
    const args = [fileURLToPath(new URL('play.mjs', import.meta.url)), repository, '--unrelated', values.unrelated];
    const child = spawn(process.execPath, values.repos === undefined ? args : [...args, '--repos', values.repos], {
      stdio: 'inherit',
    });
    const [code] = await once(child, 'exit');
    process.stderr.write(`${repository}: ${code === 0 ? 'played' : `exit code ${code}`}\n`);
  }
}

await Promise.all(Array.from({ length: Number(values.jobs) }, work));
writeReport('green', 'Memory of fixes', ...formatReport());
