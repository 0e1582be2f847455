// SQLite's own full-text search (FTS5, native) on the same incidents: bm25 with default settings, and with identifiers
// split at capital letters. Neither is tuned.
import { importOptional } from '../measure.mjs';

/** Maximum number of words in an FTS5 query, because FTS5 ranks all documents that contain any of the words. */
const MAX_QUERY_WORDS = 64;

const splitIdentifiers = (text) =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll('_', ' ');

/** Creates a full-text index. Returns undefined if the driver is not installed. */
export async function createFullTextIndex({ camelCase = false, path = ':memory:' } = {}) {
  const Database = (await importOptional('better-sqlite3'))?.default;
  if (Database === undefined) return undefined;
  const database = new Database(path);
  const prepared = (text) => (camelCase ? `${text} ${splitIdentifiers(text)}` : text);
  database.exec(
    "CREATE VIRTUAL TABLE t USING fts5(id UNINDEXED, title, error, summary, tokenize = 'porter unicode61')",
  );
  const insert = database.prepare('INSERT INTO t VALUES (?, ?, ?, ?)');
  const ask = database.prepare('SELECT id FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?');
  return {
    add: database.transaction((incidents) => {
      for (const { id, title, error_signature: error = '', summary = '' } of incidents)
        insert.run(id, prepared(title), prepared(error), prepared(summary));
    }),
    search(text, limit) {
      const words = new Set(
        prepared(text)
          .toLowerCase()
          .match(/[\p{L}\p{N}]{2,}/gu) ?? [],
      );
      const any = [...words]
        .slice(0, MAX_QUERY_WORDS)
        .map((word) => `"${word}"`)
        .join(' OR ');
      return any === '' ? [] : ask.all(any, limit).map(({ id }) => id);
    },
    close: () => database.close(),
  };
}
