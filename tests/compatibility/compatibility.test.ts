/**
 * The current build opens a SQLite memory of each earlier version and keeps its content and its suggestions, which
 * takes seconds for 300 failures. See README.md.
 */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Engine, identify, openEngine } from 'argus-engine';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeLosses, FIXTURE_VERSIONS, findChangedFixes, readExceptions, readFixture } from './fixture.ts';
import { PROJECT_ROOT, readContent, readSuggestions } from './memory.ts';

describe.each(FIXTURE_VERSIONS)('a SQLite file of %s', (version) => {
  const { file, content, recognized, wanted, cases } = readFixture(version, 'sqlite');
  const folder = () => mkdtempSync(path.join(tmpdir(), 'argus-compatibility-'));

  /** Opens a fresh copy. The engine gets the memory id of the owner, because a file with a different id is refused. */
  async function open(): Promise<Engine> {
    const databasePath = path.join(folder(), 'memory.db');
    writeFileSync(databasePath, file('memory.db'));
    const { id } = identify(databasePath);
    if (id === null) throw new Error(`the memory of ${version} has no id`);
    return closeAfterTests(await openEngine({ databasePath, projectRoot: PROJECT_ROOT, locale: 'en', memoryId: id }));
  }

  function closeAfterTests(engine: Engine): Engine {
    onTestFinished(() => engine.close());
    return engine;
  }

  test('the memory keeps its content', async () => {
    expect(describeLosses(content, await readContent(await open()))).toEqual([]);
  });

  test(`suggests for ${cases.length} known failures the fix that ${version} suggested`, async () => {
    const memory = await open();
    const reader = closeAfterTests(
      await openEngine({ databasePath: ':memory:', projectRoot: PROJECT_ROOT, locale: 'en' }),
    );
    const { runs, startedAt } = recognized;
    const found = await readSuggestions(memory, reader, runs, { folder: folder(), startedAt });
    const changes = findChangedFixes(cases, wanted, found);
    const exceptions = readExceptions(version);
    expect(changes.filter(({ failure }) => !exceptions.includes(failure))).toEqual([]);
    const needed = new Set(changes.map(({ failure }) => failure));
    expect(exceptions.filter((failure) => !needed.has(failure))).toEqual([]);
  });
});
