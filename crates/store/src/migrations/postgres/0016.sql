-- What is somebody else's, out of the files that a repository shares: of a fix that was reported here, the shared fix that
-- it tried; of an incident or a solution that was taken over to record what came of it, itself.
CREATE TABLE shared_uses (
  id TEXT NOT NULL PRIMARY KEY,
  shared_id TEXT NOT NULL
);
CREATE INDEX shared_uses_of ON shared_uses (shared_id);
