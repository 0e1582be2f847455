// Starts a temporary PostgreSQL server for tests and benchmarks, in a temporary folder and on a free port. It is
// removed at the end.
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, run } from './exec.mjs';

/** Debian installs each version in a separate folder. */
const DEBIAN = '/usr/lib/postgresql';

/**
 * Durability is switched off, because the data is temporary. Other settings keep their defaults or are raised for many
 * connections.
 */
const SETTINGS = ['fsync=off', 'max_connections=200', 'max_locks_per_transaction=512', 'listen_addresses=127.0.0.1'];

/** PostgreSQL refuses to run as root. This user is created by its package. */
const USER = 'postgres';

export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'argus-postgres-'));
  const port = await freePort();
  let data = join(folder, 'data');
  giveAway(folder);
  await program('initdb', ['-D', data, '-A', 'trust', '-U', 'argus', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']);
  const start = (of, at) => {
    const settings = [...SETTINGS, `port=${at}`, `unix_socket_directories=${folder}`];
    const options = settings.map((setting) => `-c ${setting}`).join(' ');
    return program('pg_ctl', ['-D', of, '-o', options, '-l', `${of}.log`, '-w', 'start']);
  };
  const stop = (of) => program('pg_ctl', ['-D', of, '-m', 'immediate', '-w', 'stop']);
  const here = ['-h', '127.0.0.1', '-p', String(port), '-U', 'argus'];
  const query = (sql) => program('psql', [...here, '-Atc', sql, 'postgres']);
  await start(data, port);
  const url = (name) => `postgres://argus@127.0.0.1:${port}/${name}`;
  let databases = 0;
  return {
    port,
    url: url('postgres'),
    newDatabase: async (template) => {
      databases += 1;
      const name = `argus_test_${databases}`;
      const options = template === undefined ? [] : ['--template', new URL(template).pathname.slice(1)];
      await program('createdb', [...here, ...options, name]);
      return url(name);
    },
    /** Runs a query as the owner of the cluster. */
    query,
    dump: (database) => program('pg_dump', ['--inserts', database]),
    /** Restarts as after a crash, without waiting for clients. */
    restart: async () => {
      await stop(data);
      await start(data, port);
    },
    cutConnections: () =>
      query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename IS NOT NULL',
      ),
    /**
     * Starts a standby that receives everything that is acknowledged from now on. `takeOver` stops this server and puts
     * the standby in its place.
     */
    startStandby: async () => {
      const copy = join(folder, 'standby');
      await program('pg_basebackup', [...here, '-D', copy, '-R', '-c', 'fast', '--no-sync']);
      await start(copy, await freePort());
      await query("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await query('SELECT pg_reload_conf()');
      while ((await query('SELECT sync_state FROM pg_stat_replication')).trim() !== 'sync') await delay(50);
      return {
        takeOver: async () => {
          await stop(data);
          await stop(copy);
          data = copy;
          await start(data, port);
          // Until it is promoted, the standby answers but does not accept writes.
          await delay(500);
          await program('pg_ctl', ['-D', data, '-w', 'promote']);
        },
      };
    },
    stop: async () => {
      await stop(data);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function program(name, args) {
  const path = join(programs(), name);
  const [command, ...words] = isRoot() ? ['runuser', '-u', USER, '--', path, ...args] : [path, ...args];
  // In the temporary folder, because the user `postgres` may have no access to the project.
  const { code, output } = await run(command, words, { cwd: tmpdir() });
  if (code !== 0) throw new Error(`${name} failed: ${output.trim()}`);
  return output;
}

function programs() {
  const folder = postgresFolder();
  if (folder === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  return folder;
}

export function postgresFolder() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const [newest] = versions;
  return newest === undefined ? (ask('pg_config', ['--bindir']) ?? undefined) : join(DEBIAN, newest, 'bin');
}

const isRoot = () => process.getuid?.() === 0;

function giveAway(folder) {
  if (!isRoot()) return;
  const [uid, gid] = ['-u', '-g'].map((option) => Number(ask('id', [option, USER])));
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
}

/** The port was free a moment ago, which is good enough for tests. */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
