/**
 * The current build restores a team's PostgreSQL memory of each earlier version and keeps its content. See README.md.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEngine, openProjectServer, type ProjectServer } from 'argus-engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresPool } from '../../packages/mcp/src/team/server/storage/postgres-pool.ts';
import { startPostgres } from '../../scripts/lib/postgres.mjs';
import { describeLosses, FIXTURE_VERSIONS, findChangedFixes, readExceptions, readFixture } from './fixture.ts';
import { type Content, PROJECT_ROOT, readContent, readSuggestions } from './memory.ts';

const PROJECT = 'shop';

describe.each(FIXTURE_VERSIONS)('a PostgreSQL database of %s', (version) => {
  const { file, content, team, recognized, wanted, cases } = readFixture(version, 'postgres');
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
    // Read before the diagnoses, because each diagnosis adds an occurrence.
    found = await readContent(server.project(PROJECT));
  });
  afterAll(async () => {
    await server.close();
    await postgres.stop();
  });

  test("the team's memory keeps its content", () => {
    expect(describeLosses(content, found)).toEqual([]);
  });

  test('the server keeps its tokens and its audit log', async () => {
    const own = server.project();
    expect((await own.tokens()).tokens.map(({ id }) => id)).toEqual(team.tokens);
    expect((await own.auditLog({ limit: 1000 })).entries).toHaveLength(team.auditEntries);
  });

  test(`suggests for ${cases.length} known failures the fix that ${version} suggested`, async () => {
    const reader = await openEngine({ databasePath: ':memory:', projectRoot: PROJECT_ROOT, locale: 'en' });
    const { runs, startedAt } = recognized;
    const options = { folder: folder(), startedAt };
    const suggested = await readSuggestions(server.project(PROJECT), reader, runs, options);
    await reader.close();
    const exceptions = readExceptions(version);
    const changes = findChangedFixes(cases, wanted, suggested);
    expect(changes.filter(({ failure }) => !exceptions.includes(failure))).toEqual([]);
  });
});
