// The statements of a diagnose call whose failure has a pattern with a fix, in the same order as in crates/store: a
// read transaction that finds the run and the case, and a write transaction that matches and counts. They are updated
// by hand; database.mjs checks that both candidates count the same.

const RUN =
  'key, id, started_at, duration_ms, status, passed, failed, skipped, flaky, command, runner, exit_code, signal, timed_out, git_commit, git_branch, git_dirty';
const PATTERN =
  'p.key, p.id, p.source, p.category, p.signature, p.case_name, p.normalized, p.description, p.occurrences, p.resolutions, p.first_seen_at, p.last_seen_at, p.updated_at, s.steps';
const FIX = 'SELECT o.id, o.run_id, o.case_name, s.steps, o.worked, o.created_at, o.key';

export const SQL = {
  version: 'PRAGMA user_version',
  run: `SELECT ${RUN} FROM runs WHERE id = ?`,
  failed:
    "SELECT f.category, f.headline, f.signature, f.error, f.stdout_tail, f.stderr_tail, f.exception_type, f.exit_code, f.signal, f.container_status, f.oom_killed, f.runner FROM cases c JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq WHERE c.name = ? AND c.run_key = ? AND c.status = 'failed' ORDER BY c.seq LIMIT 1",
  pattern: `SELECT ${PATTERN} FROM patterns p LEFT JOIN solutions s ON s.key = p.best_solution WHERE p.recipe = ? AND p.signature = ?`,
  count:
    'UPDATE patterns SET occurrences = occurrences + 1, last_seen_at = ?, updated_at = ? WHERE key = ? RETURNING occurrences, resolutions',
  fixes: `${FIX} FROM outcomes o JOIN solutions s ON s.key = o.solution_key WHERE o.pattern_key = ? AND o.run_id IS NOT NULL ORDER BY o.key DESC LIMIT 20`,
  ownFixes: `${FIX} FROM outcomes o JOIN solutions s ON s.key = o.solution_key WHERE o.started_pattern = ? ORDER BY o.key DESC LIMIT 20`,
};

/** The settings of the engine's own connection. */
export const SETTINGS = [
  'PRAGMA foreign_keys = ON',
  'PRAGMA synchronous = FULL',
  'PRAGMA temp_store = MEMORY',
  'PRAGMA cache_size = -16384',
  'PRAGMA journal_mode = PERSIST',
  'PRAGMA journal_size_limit = 4194304',
];

/**
 * Runs the SQL of a diagnose call without its analysis. `all(name, values)` runs a statement of `SQL` and returns its
 * rows; `exec(sql)` runs a statement without a result.
 */
export function diagnose({ all, exec }, { runId, caseName, recipe, signature, now }) {
  exec('BEGIN');
  all('version', []);
  const [run] = all('run', [runId]);
  all('failed', [caseName, run.key]);
  exec('COMMIT');
  exec('BEGIN IMMEDIATE');
  all('version', []);
  const [pattern] = all('pattern', [recipe, signature]);
  const [counted] = all('count', [now, now, pattern.key]);
  all('fixes', [pattern.key]);
  all('ownFixes', [pattern.key]);
  exec('COMMIT');
  return counted.occurrences;
}
