-- Commits of this repository that look like fixes, as a person had them learned, and the source files with the symbols that
-- each changed (JSON). They stay on this machine: no copy has them.
CREATE TABLE fix_commits (
  key BIGINT NOT NULL PRIMARY KEY,
  commit_id TEXT NOT NULL,
  committed_at BIGINT NOT NULL,
  sources TEXT NOT NULL
);
-- By what each is found: hashes of a test file, of a test in it, and of a symbol in a file.
CREATE TABLE fix_commit_clues (
  clue BIGINT NOT NULL,
  commit_key BIGINT NOT NULL,
  PRIMARY KEY (clue, commit_key)
) WITHOUT ROWID;
