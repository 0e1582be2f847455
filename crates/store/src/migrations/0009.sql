-- What a team's server keeps: answers of calls, who may call, and what was done with that.

-- What was called, and its answer as JSON: made once more, it answers the same.
ALTER TABLE calls ADD COLUMN method TEXT;
ALTER TABLE calls ADD COLUMN answer TEXT;
-- The answers that are kept; all others are NULL.
CREATE INDEX calls_answered ON calls (key) WHERE answer IS NOT NULL;

-- Who may use the memories of a server. Rows are only in the server's own database, never in a project's.
CREATE TABLE tokens (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  -- SHA-256 of the secret, hex; the secret is kept nowhere.
  digest TEXT NOT NULL,
  -- The highest of what it may do: each holds those before it.
  scope TEXT NOT NULL CHECK (scope = 'read' OR scope = 'write' OR scope = 'edit' OR scope = 'admin'),
  -- Names with spaces between; NULL: all.
  projects TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
);

-- Edits and denials, the newest last.
CREATE TABLE audit_entries (
  key INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  -- Of a token; NULL: none was given, or none that is known.
  token_id TEXT,
  project TEXT,
  action TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome = 'done' OR outcome = 'denied')
);
