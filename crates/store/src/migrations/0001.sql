-- Runs and their cases. Retention deletes from these three tables and from no other.
CREATE TABLE runs (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  started_at BIGINT NOT NULL,
  duration_ms DOUBLE PRECISION NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('passed', 'failed')),
  passed BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  skipped BIGINT NOT NULL,
  flaky BIGINT NOT NULL,
  command TEXT,
  runner TEXT,
  exit_code BIGINT,
  signal TEXT,
  timed_out BIGINT NOT NULL,
  git_commit TEXT,
  git_branch TEXT,
  git_dirty BIGINT
);
CREATE INDEX runs_newest ON runs (started_at, key);
CREATE INDEX runs_by_status ON runs (status, started_at, key);

-- `rank` is the order of listing: 0 failed, 1 flaky, 2 the rest. Kept slim: a run may have 100,000. The check is no
-- `IN`: for a list of three SQLite makes a table of its own at every insert.
CREATE TABLE cases (
  run_key BIGINT NOT NULL,
  rank BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status = 'passed' OR status = 'failed' OR status = 'skipped'),
  runner_status TEXT,
  duration_ms DOUBLE PRECISION,
  attempts BIGINT NOT NULL,
  PRIMARY KEY (run_key, rank, seq)
) WITHOUT ROWID;
-- A failed case by name, in one run or in any.
CREATE INDEX cases_failed ON cases (name, run_key, seq) WHERE status = 'failed';

-- What is known about a failed case; texts are redacted and bounded.
CREATE TABLE failures (
  run_key BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  category TEXT NOT NULL,
  headline TEXT NOT NULL,
  signature TEXT NOT NULL,
  error TEXT,
  stdout_tail TEXT,
  stderr_tail TEXT,
  exception_type TEXT,
  exit_code BIGINT,
  signal TEXT,
  container_status TEXT,
  oom_killed BIGINT,
  runner TEXT,
  PRIMARY KEY (run_key, seq)
);

-- What was learned. Never deleted.
CREATE TABLE patterns (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL CHECK (source IN ('built-in', 'learned')),
  category TEXT NOT NULL,
  recipe TEXT NOT NULL,
  signature TEXT NOT NULL,
  family TEXT NOT NULL,
  case_name TEXT NOT NULL,
  normalized TEXT NOT NULL,
  description TEXT NOT NULL,
  occurrences BIGINT NOT NULL,
  resolutions BIGINT NOT NULL,
  confidence DOUBLE PRECISION GENERATED ALWAYS AS ((resolutions + 1.0) / (occurrences + 2.0)) STORED,
  best_solution BIGINT,
  first_seen_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (recipe, signature),
  CHECK (resolutions >= 0 AND resolutions <= occurrences)
);
CREATE INDEX patterns_by_family ON patterns (family);
CREATE INDEX patterns_by_occurrences ON patterns (category, occurrences, key);
CREATE INDEX patterns_by_confidence ON patterns (category, confidence, key);
CREATE INDEX patterns_by_last_seen ON patterns (category, last_seen_at, key);

-- How many learned ones a category has, so that no listing counts rows.
CREATE TABLE pattern_counts (
  category TEXT PRIMARY KEY,
  learned BIGINT NOT NULL
);

-- The failure a pattern was learned from (JSON, redacted), so that a newer recipe can sign it again.
CREATE TABLE pattern_samples (
  pattern_key BIGINT NOT NULL PRIMARY KEY REFERENCES patterns (key) ON DELETE CASCADE,
  event TEXT NOT NULL
);

-- Four band keys a pattern: texts that are alike share at least one.
CREATE TABLE pattern_bands (
  band BIGINT NOT NULL,
  pattern_key BIGINT NOT NULL,
  PRIMARY KEY (band, pattern_key)
) WITHOUT ROWID;

-- Incidents of the debug memory.
CREATE TABLE incidents (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  error_signature TEXT,
  summary TEXT,
  family TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX incidents_by_family ON incidents (family);

-- Both memories: what may be done about a pattern or an incident.
-- `digest` finds the same steps again, whatever their case and spacing.
CREATE TABLE solutions (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  pattern_key BIGINT REFERENCES patterns (key),
  incident_key BIGINT REFERENCES incidents (key),
  steps TEXT NOT NULL,
  digest TEXT NOT NULL,
  env TEXT,
  env_bucket TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  CHECK (pattern_key IS NOT NULL OR incident_key IS NOT NULL)
);
CREATE INDEX solutions_by_pattern ON solutions (pattern_key, digest, env_bucket);
CREATE INDEX solutions_by_incident ON solutions (incident_key, digest, env_bucket);

-- Both memories: what came of trying. A reported fix is one of these, with its run and case.
-- `run_id` is no foreign key: retention deletes runs, never what was learned.
-- `pattern_key` is the pattern it counted on. Where that is a built-in, `started_pattern` is the learned pattern
-- that the outcome started; it stands in the history of both.
CREATE TABLE outcomes (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  solution_key BIGINT NOT NULL REFERENCES solutions (key),
  pattern_key BIGINT REFERENCES patterns (key),
  started_pattern BIGINT REFERENCES patterns (key),
  worked BIGINT NOT NULL,
  run_id TEXT,
  case_name TEXT,
  env TEXT,
  env_bucket TEXT NOT NULL,
  notes TEXT,
  lookup_id TEXT,
  created_at BIGINT NOT NULL
);
CREATE INDEX outcomes_by_pattern ON outcomes (pattern_key, key);
CREATE INDEX outcomes_started ON outcomes (started_pattern, key) WHERE started_pattern IS NOT NULL;
CREATE INDEX outcomes_by_solution ON outcomes (solution_key, key);
CREATE INDEX outcomes_by_case ON outcomes (run_id, case_name);

-- Sums of outcomes, changed in the transaction that records one.
CREATE TABLE solution_env_stats (
  solution_key BIGINT NOT NULL REFERENCES solutions (key),
  env_bucket TEXT NOT NULL,
  worked BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  last_confirmed_at BIGINT,
  last_failed_at BIGINT,
  PRIMARY KEY (solution_key, env_bucket)
) WITHOUT ROWID;

-- One row that a write check sets and deletes.
CREATE TABLE probes (
  id TEXT PRIMARY KEY
);
