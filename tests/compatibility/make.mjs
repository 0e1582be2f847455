// Makes a fixture of a memory: plays the history of make/history.mjs through a built program, once on SQLite and once on
// a team's server with PostgreSQL, and records which fix that build suggests for which failure.
//
//   node tests/compatibility/make.mjs VERSION [PROGRAM] [PLAYED]
//
// PROGRAM is the bundle of this checkout by default; the engine package of the same checkout must be built too. PLAYED is the
// folder of an earlier attempt that played the history and then failed.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'rolldown';
import { startPostgres } from '../../.scripts/lib/postgres.mjs';
import { candidates, recurrences, spread, tally } from './make/candidates.mjs';
import { configure, KEEP_RUNS_DAYS, repository, Shop } from './make/history.mjs';
import { neighbor, takeShared } from './make/neighbor.mjs';
import { Clock, User } from './make/program.mjs';

const SEED = 20_260_105;
const START = Date.UTC(2026, 0, 5, 8);
const DAY_MS = 86_400_000;
const WANTED = 300;
/** Upper bound for each checked-in file. */
const MAX_BYTES = 1_000_000;

const here = dirname(fileURLToPath(import.meta.url));
const [version, given = join(here, '../../packages/mcp/dist/cli.mjs'), played] = process.argv.slice(2);
if (version === undefined) throw new Error('Say which version: node make.mjs 0.1.0 [PROGRAM]');
const program = resolve(given);
const checkout = resolve(dirname(program), '../../..');
const target = join(here, version);
if (existsSync(target))
  throw new Error(`${target} is there already: a fixture is never made again, name another version`);

const folder = played ?? realpathSync(mkdtempSync(join(tmpdir(), 'argus-compatibility-')));
const engineFile = join(checkout, 'npm/engine/dist/node.mjs');
const engine = await import(pathToFileURL(engineFile).href);
const { contentOf, countsOf, suggestions, PROJECT_ROOT } = await bundled(join(here, 'memory.ts'));
const storage = 'packages/mcp/src/team/server/storage';
const { PostgresPool } = await bundled(join(checkout, storage, 'postgres-pool.ts'));

/**
 * Imports a TypeScript module that uses the engine of the played build. It is bundled into the checkout, because Node 20 does
 * not strip types and `pg` must be found.
 */
async function bundled(input) {
  const file = join(checkout, 'target/compatibility', `${input.replaceAll('/', '_')}.mjs`);
  await build({
    input,
    platform: 'node',
    resolve: { alias: { 'argus-engine': engineFile } },
    external: [engineFile, 'pg'],
    output: { file },
    logLevel: 'silent',
  });
  return import(pathToFileURL(file).href);
}

const say = (text) => process.stdout.write(`${text}\n`);

/**
 * Plays the history in a new repository. `prepare` runs before the history, `edit` makes a call of the viewer, and `after`
 * runs at the end.
 */
async function playHistory(name, { prepare, edit, after }) {
  const own = join(folder, name);
  const root = join(own, 'shop');
  mkdirSync(own);
  repository(root);
  const clock = new Clock(join(own, 'clock'), START);
  const user = new User({ program, folder: join(own, 'ada'), clock });
  const place = { own, user, root, clock };
  await prepare?.(place);
  const began = performance.now();
  const first = await user.agent(root);
  const shop = new Shop({ root, user, agent: first, clock, seed: SEED, edit: (...call) => edit(place, ...call) });
  await shop.begin();
  await first.close();
  configure(root);
  const agent = await user.agent(root);
  await shop.goOn(agent);
  await after(place, shop);
  await agent.close();
  const seconds = Math.round((performance.now() - began) / 1000);
  say(`${name}: played until ${new Date(clock.now).toISOString()} in ${seconds} s`);
  return { ...place, shop };
}

async function post(url, bearer, params) {
  const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(params) });
  const body = await response.json();
  if (!response.ok) throw new Error(`${url}: ${JSON.stringify(body)}`);
  return body;
}

/** Writes `memory.db`, and `asked.json` for the second half of this script. */
async function playOnSqlite() {
  let viewer;
  const { shop, root, clock } = await playHistory('sqlite', {
    edit: async (place, call, params) => {
      place.clock.tick();
      viewer ??= await place.user.start(['view', '--project', place.root, '--json'], place.root);
      const [home, bearer] = JSON.parse(viewer.line).url.split('#token=');
      return post(`${home}api/${call}`, bearer, params);
    },
    after: async (place, ours) => {
      const other = await neighbor({ program, folder: place.own, root: place.root, now: place.clock.now, seed: SEED });
      await ours.tryShared(takeShared(other, place.root));
      ours.learnFromGit();
    },
  });
  await viewer.stop();
  copyFileSync(join(root, '.argus/argus.db'), join(folder, 'memory.db'));
  writeFileSync(join(folder, 'asked.json'), JSON.stringify({ now: clock.now, asked: candidates(shop, SEED) }));
}

/** Writes `memory.sql`. */
async function playOnPostgres(postgres) {
  const database = await postgres.newDatabase();
  let server;
  let token;
  await playHistory('postgres', {
    prepare: async ({ user, root }) => {
      user.run(['migrate', '--database', database], { codes: [0] });
      token = tokenOf(user, database, 'Ada', 'edit');
      const limits = ['--rate-limit', '100000', '--keep-runs', String(KEEP_RUNS_DAYS)];
      server = await user.start(['serve', '--database', database, '--port', '0', ...limits], root);
      user.setEnv('ARGUS_TEAM_TOKEN', token);
      user.run(['team', 'join', JSON.parse(server.line).url, '--as', 'shop'], { cwd: root, codes: [0] });
    },
    edit: ({ clock }, call, params) => {
      clock.tick();
      return post(`${JSON.parse(server.line).url}/p/shop/api/${call}`, token, params);
    },
    after: async ({ own, root, clock, user }) => {
      const env = { ARGUS_TEAM_TOKEN: tokenOf(user, database, 'Ben', 'write') };
      const other = await neighbor({ program, folder: own, root, now: clock.now, seed: SEED, env });
      clock.advance(DAY_MS);
      const there = { cwd: other.clone, codes: [0] };
      other.user.run(['team', 'join', JSON.parse(server.line).url, '--as', 'shop'], there);
      other.user.run(['team', 'push'], there);
    },
  });
  await server.stop();
  const roles = await postgres.query("SELECT rolname FROM pg_roles WHERE rolname ~ '^argus_' ORDER BY 1");
  writeFileSync(join(folder, 'memory.sql'), withRoles(await postgres.dump(database), roles));
}

function tokenOf(user, database, name, scope) {
  const made = user.run(['token', 'create', name, '--database', database, '--scope', scope, '--json'], { codes: [0] });
  return JSON.parse(made.stdout).token;
}

/** Adds the roles, which pg_dump omits, and drops `\restrict`, which older versions of psql reject. */
function withRoles(dump, names) {
  const roles = names.split('\n').filter(Boolean);
  return roles.map((name) => `CREATE ROLE "${name}";\n`).join('') + dump.replace(/^\\(?:un)?restrict .*\n/gm, '');
}

/** For each database a function that calls another one with a fresh copy of the memory, because a diagnosis changes it. */
function memoriesIn(postgres) {
  let copies = 0;
  return {
    sqlite: async (use) => {
      copies += 1;
      const copy = join(folder, `copy-${copies}.db`);
      copyFileSync(join(folder, 'memory.db'), copy);
      const memoryId = engine.identify(copy).id;
      const memory = await engine.openEngine({ databasePath: copy, projectRoot: PROJECT_ROOT, locale: 'en', memoryId });
      const value = await use(memory);
      await memory.close();
      return value;
    },
    postgres: async (use) => {
      const url = await postgres.newDatabase();
      await restore(postgres, url);
      const server = engine.openProjectServer({ pool: new PostgresPool(url), locale: 'en' });
      const value = await use(server.project('shop'), server);
      await server.close();
      return value;
    },
  };
}

/** Rows of each table, counted by SQL. */
const ROWS = `SELECT table_name || ' ' || (xpath('/row/c/text()', query_to_xml(
  format('SELECT count(*) AS c FROM %I.%I', table_schema, table_name), false, true, '')))[1]
  FROM information_schema.tables WHERE table_schema = 'argus_shop' ORDER BY 1`;

function psql(url, args) {
  const { status, stdout, stderr } = spawnSync('psql', [url, '--quiet', ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`psql: ${stderr}`);
  return stdout;
}

/** Restores `memory.sql` into an empty database. */
async function restore(postgres, url) {
  const dump = readFileSync(join(folder, 'memory.sql'), 'utf8');
  const known = (await postgres.query('SELECT rolname FROM pg_roles')).split('\n');
  const isThere = (role) => known.includes(role);
  const file = join(folder, 'restored.sql');
  writeFileSync(
    file,
    dump.replace(/^CREATE ROLE "(\w+)";\n/gm, (line, role) => (isThere(role) ? '' : line)),
  );
  psql(url, ['--set', 'ON_ERROR_STOP=1', '--file', file]);
}

/** The suggestions of a memory for the failures of these runs. */
async function answers(memory, runs, startedAt) {
  const reader = await engine.openEngine({ databasePath: ':memory:', projectRoot: PROJECT_ROOT, locale: 'en' });
  const reports = mkdtempSync(join(folder, 'reports-'));
  const found = await suggestions(memory, reader, runs, { folder: reports, startedAt });
  await reader.close();
  return found;
}

/** Diagnoses all candidates, then picks `WANTED` failures that get a fix on both databases, evenly from all sources. */
async function recognize(memories) {
  let { now, asked } = JSON.parse(readFileSync(join(folder, 'asked.json'), 'utf8'));
  const startedAt = now + 2 * DAY_MS;
  for (let chosen = asked; ; chosen = spread(asked, WANTED)) {
    const { order, runs } = recurrences(chosen, { root: PROJECT_ROOT, at: START });
    const found = {};
    for (const [name, use] of Object.entries(memories)) found[name] = await use((it) => answers(it, runs, startedAt));
    const missed = order.filter((_, index) => Object.values(found).some((list) => list[index] === undefined));
    say(`${order.length - missed.length} of ${order.length} failures get a fix on both databases`);
    if (missed.length > 0) say(`  none: ${tally(missed, ({ source, kind }) => `${source} ${kind}`)}`);
    if (missed.length === 0 && order.length === WANTED) {
      say(`recognized: ${tally(order, ({ kind }) => kind)}`);
      say(`recognized: ${tally(order, ({ source }) => source)}`);
      const { sqlite, postgres } = found;
      return {
        startedAt,
        runs,
        answers: order.map(({ kind, source }, index) => ({
          kind,
          source,
          sqlite: sqlite[index],
          postgres: postgres[index],
        })),
      };
    }
    asked = asked.filter((one) => !missed.includes(one));
  }
}

function write(name, content) {
  mkdirSync(target, { recursive: true });
  const file = join(target, `${name}.br`);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  writeFileSync(file, brotliCompressSync(content, { params }));
  const { size } = statSync(file);
  if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MAX_BYTES}: keep fewer runs`);
  say(`${file}: ${size} bytes`);
}

const postgres = await startPostgres();
try {
  if (played === undefined) {
    say(`playing in ${folder}`);
    await playOnSqlite();
    await playOnPostgres(postgres);
  }
  const memories = memoriesIn(postgres);
  const recognized = await recognize(memories);
  const content = { sqlite: await memories.sqlite(contentOf), postgres: await memories.postgres(contentOf) };
  const team = await memories.postgres(async (_, server) => {
    const own = server.project();
    const [{ tokens }, { entries }] = [await own.tokens(), await own.auditLog({ limit: 1000 })];
    return { tokens: tokens.map(({ id }) => id), auditEntries: entries.length };
  });
  say(`sqlite: ${JSON.stringify(countsOf(content.sqlite), null, 1)}`);
  say(`postgres: ${JSON.stringify({ ...countsOf(content.postgres), ...team }, null, 1)}`);
  const url = await postgres.newDatabase();
  await restore(postgres, url);
  say(`postgres, rows: ${psql(url, ['-Atc', ROWS]).trim().split('\n').join(', ')}`);
  write('memory.db', readFileSync(join(folder, 'memory.db')));
  write('memory.sql', readFileSync(join(folder, 'memory.sql')));
  write('recognized.json', JSON.stringify(recognized));
  write('content.json', JSON.stringify({ ...content, team }));
  rmSync(folder, { recursive: true });
} finally {
  await postgres.stop();
}
