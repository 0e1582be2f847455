/** The current build restores a team's PostgreSQL memory of each earlier version and keeps its content. See README.md. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEngine, openProjectServer, type ProjectServer } from 'argus-engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresPool } from '../../packages/mcp/src/team/server/storage/postgres-pool.ts';
import { startPostgres } from '../../scripts/lib/postgres.mjs';
import { changedFixes, exceptionsOf, fixture, lostFrom, VERSIONS } from './fixture.ts';
import { type Content, contentOf, PROJECT_ROOT, suggestions } from './memory.ts';

const PROJECT = 'shop';

describe.each(VERSIONS)('a PostgreSQL database of %s', (version) => {
  const { file, content, team, recognized, wanted, cases } = fixture(version, 'postgres');
  const folder = () => mkdtempSync(path.join(tmpdir(), 'argus-compatibility-'));

  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let server: ProjectServer;
  let found: Content;
  beforeAll(async () => {
    postgres = await startPostgres();
    const url = await postgres.newDatabase();
    const dump = path.join(folder(), 'memory.sql');
    writeFileSync(dump, file('memory.sql'));
    const { status, stderr } = spawnSync('psql', [url, '--quiet', '--set', 'ON_ERROR_STOP=1', '--file', dump], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    server = openProjectServer({ pool: new PostgresPool(url) });
    await server.migrate();
    await server.migrate(PROJECT);
    // Read before the diagnoses, because each diagnosis counts an occurrence.
    found = await contentOf(server.project(PROJECT));
  });
  afterAll(async () => {
    await server.close();
    await postgres.stop();
  });

  test('loses nothing', () => {
    expect(lostFrom(content, found)).toEqual([]);
  });

  test('keeps tokens and the audit log of the server', async () => {
    const own = server.project();
    expect((await own.tokens()).tokens.map(({ id }) => id)).toEqual(team.tokens);
    expect((await own.auditLog({ limit: 1000 })).entries).toHaveLength(team.auditEntries);
  });

  test(`suggests for ${cases.length} known failures the fix that ${version} suggested`, async () => {
    const reader = await openEngine({ databasePath: ':memory:', projectRoot: PROJECT_ROOT, locale: 'en' });
    const { runs, startedAt } = recognized;
    const options = { folder: folder(), startedAt };
    const suggested = await suggestions(server.project(PROJECT), reader, runs, options);
    await reader.close();
    const exceptions = exceptionsOf(version);
    const changes = changedFixes(cases, wanted, suggested);
    expect(changes.filter(({ failure }) => !exceptions.includes(failure))).toEqual([]);
  });
});
