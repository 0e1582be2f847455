-- What verdicts look back on; rows do not grow with the number of runs.

-- What each failing case was found to be when its run was recorded (JSON).
ALTER TABLE failures ADD COLUMN verdict TEXT;

-- The newest runs, causes that last, outages, fixes, and what failures of each kind look like (JSON). One row.
CREATE TABLE evidence (
  key BIGINT NOT NULL PRIMARY KEY,
  state TEXT NOT NULL
);

-- A test that failed once: how it did since, and sums of all before (JSON). `case_id` is a hash of its name.
CREATE TABLE test_histories (
  case_id BIGINT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  history TEXT NOT NULL
);

-- Orders in which cases were executed, each once: `run_seq` is the newest run with it, `cases` are hashes of names,
-- 8 bytes each, the lowest byte first.
CREATE TABLE case_orders (
  digest BIGINT NOT NULL PRIMARY KEY,
  run_seq BIGINT NOT NULL,
  size BIGINT NOT NULL,
  cases BLOB NOT NULL
);
