-- Whose memory it is, and who recorded what.

-- One row: the id that the user who made or adopted this file knows it by. None in a file from before there were ids.
CREATE TABLE memory (
  id TEXT PRIMARY KEY
);

-- By which client or person, and on which machine. None where it was recorded before this was kept.
ALTER TABLE solutions ADD COLUMN recorded_by TEXT;
ALTER TABLE solutions ADD COLUMN recorded_from TEXT;
ALTER TABLE outcomes ADD COLUMN recorded_by TEXT;
ALTER TABLE outcomes ADD COLUMN recorded_from TEXT;
