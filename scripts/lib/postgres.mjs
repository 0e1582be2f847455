// Starts a temporary PostgreSQL server for tests and benchmarks, in a temporary folder and on a free port. The server
// and its folder are removed at the end.
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readOutput, run } from './exec.mjs';

/** Debian installs each version in a separate folder below this folder. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';

/** Durability is switched off, because the data is temporary. The limits are raised for many connections. */
const SETTINGS = ['fsync=off', 'max_connections=200', 'max_locks_per_transaction=512', 'listen_addresses=127.0.0.1'];

/** PostgreSQL refuses to run as root. This user is created by the PostgreSQL package. */
const POSTGRES_USER = 'postgres';

export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'argus-postgres-'));
  const port = await findFreePort();
  let data = join(folder, 'data');
  giveToPostgresUser(folder);
  await runProgram('initdb', ['-D', data, '-A', 'trust', '-U', 'argus', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']);
  const start = (of, at) => {
    const settings = [...SETTINGS, `port=${at}`, `unix_socket_directories=${folder}`];
    const options = settings.map((setting) => `-c ${setting}`).join(' ');
    return runProgram('pg_ctl', ['-D', of, '-o', options, '-l', `${of}.log`, '-w', 'start']);
  };
  const stop = (of) => runProgram('pg_ctl', ['-D', of, '-m', 'immediate', '-w', 'stop']);
  const here = ['-h', '127.0.0.1', '-p', String(port), '-U', 'argus'];
  const query = (sql) => runProgram('psql', [...here, '-Atc', sql, 'postgres']);
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
      await runProgram('createdb', [...here, ...options, name]);
      return url(name);
    },
    /** Runs a query as the owner of the cluster. */
    query,
    dump: (database) => runProgram('pg_dump', ['--inserts', database]),
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
     * Starts a standby that receives everything that is acknowledged from now on. `takeOver` stops this server and
     * promotes the standby in its place.
     */
    startStandby: async () => {
      const copy = join(folder, 'standby');
      await runProgram('pg_basebackup', [...here, '-D', copy, '-R', '-c', 'fast', '--no-sync']);
      await start(copy, await findFreePort());
      await query("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await query('SELECT pg_reload_conf()');
      while ((await query('SELECT sync_state FROM pg_stat_replication')).trim() !== 'sync') await delay(50);
      return {
        takeOver: async () => {
          await stop(data);
          await stop(copy);
          data = copy;
          await start(data, port);
          // Until the standby is promoted, it answers but does not accept writes.
          await delay(500);
          await runProgram('pg_ctl', ['-D', data, '-w', 'promote']);
        },
      };
    },
    stop: async () => {
      await stop(data);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function runProgram(name, args) {
  const path = join(findPrograms(), name);
  const [command, ...words] = isRootUser() ? ['runuser', '-u', POSTGRES_USER, '--', path, ...args] : [path, ...args];
  // Runs in the temporary folder, because the user `postgres` may have no access to the project.
  const { code, output } = await run(command, words, { cwd: tmpdir() });
  if (code !== 0) throw new Error(`${name} failed: ${output.trim()}`);
  return output;
}

function findPrograms() {
  const folder = findPostgresFolder();
  if (folder === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  return folder;
}

export function findPostgresFolder() {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a)) : [];
  const [newest] = versions;
  return newest === undefined
    ? (readOutput('pg_config', ['--bindir']) ?? undefined)
    : join(DEBIAN_FOLDER, newest, 'bin');
}

const isRootUser = () => process.getuid?.() === 0;

function giveToPostgresUser(folder) {
  if (!isRootUser()) return;
  const [uid, gid] = ['-u', '-g'].map((option) => Number(readOutput('id', [option, POSTGRES_USER])));
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
}

/** Another program may take the port before the server does, but that is unlikely enough for tests. */
function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
