// A second developer with a clone of the shop and a separate memory, whose knowledge the first memory takes over.
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Shop } from './history.mjs';
import { Clock, User } from './program.mjs';

const INCIDENT = {
  title: 'The label printer prints blank labels',
  error: 'lp: Error - No default destination available.\nprinter-01: job 4711 held since Mon 02 Feb 2026',
  steps: 'Name the printer in /etc/cups/lpoptions and restart cups.',
};

const FAILURES = ['gift', 'crate', 'barcode'].map((thing) => ({
  source: 'vitest',
  report: 'vitest-junit',
  file: `packages/packing/tests/${thing}.test.ts`,
  suite: [thing],
  name: `packs the ${thing}`,
  type: 'RangeError',
  fix: `Give the ${thing} a lid before it is weighed.`,
  at: ({ lines, values }) => ({
    text: `RangeError: the ${thing} ${values.uuid} has no lid\n ❯ weigh packages/packing/src/${thing}.ts:${40 + lines}:11\n ❯ packages/packing/tests/${thing}.test.ts:${12 + lines}:5`,
  }),
}));

/** Plays the second developer's part and answers their user and clone. */
export async function neighbor({ program, folder, root, now, seed, env }) {
  const clone = join(folder, 'clone');
  execFileSync('git', ['clone', '--quiet', root, clone]);
  execFileSync('git', ['remote', 'set-url', 'origin', 'https://git.example.com/acme/shop.git'], { cwd: clone });
  const clock = new Clock(join(folder, 'neighbor-clock'), now);
  const user = new User({ program, folder: join(folder, 'ben'), clock, env });
  const agent = await user.agent(clone);
  const failures = FAILURES.map((failure) => ({ ...failure }));
  const shop = new Shop({ root: clone, user, agent, clock, seed });
  await shop.meetAndMend(failures, INCIDENT);
  await agent.close();
  return { user, clone };
}

/** Runs `argus share` in the clone and copies the shared files to `root`. */
export function takeShared({ user, clone }, root) {
  user.run(['share', '--as', 'ben', '--project', clone], { cwd: clone, codes: [0] });
  cpSync(join(clone, '.argus-shared'), join(root, '.argus-shared'), { recursive: true });
  const folder = join(root, '.argus-shared/fixes');
  const fixes = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  const failures = FAILURES.map((failure) => ({ ...failure }));
  const fixIds = failures.map(({ fix }) => fixes.find((shared) => shared.fix === fix).id);
  return { failures, fixIds, incident: INCIDENT };
}
