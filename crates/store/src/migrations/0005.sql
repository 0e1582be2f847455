-- Calls that waited in a spool and were made later: each is made once, also where the process was killed after it.
CREATE TABLE calls (
  id TEXT NOT NULL,
  step BIGINT NOT NULL,
  made_at BIGINT NOT NULL,
  PRIMARY KEY (id, step)
) WITHOUT ROWID;
