-- Whose memory it is, who recorded what, and which calls were made.

-- One row: the id that the user who made or adopted this file knows it by. None in a file from before there were ids.
CREATE TABLE memory (
  id TEXT PRIMARY KEY
);

-- By which client or person, and on which machine. None where it was recorded before this was kept.
ALTER TABLE solutions ADD COLUMN recorded_by TEXT;
ALTER TABLE solutions ADD COLUMN recorded_from TEXT;
ALTER TABLE outcomes ADD COLUMN recorded_by TEXT;
ALTER TABLE outcomes ADD COLUMN recorded_from TEXT;

-- Calls that waited in a spool and were made later: each is made once, also where the process was killed after it.
CREATE TABLE calls (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE
);
