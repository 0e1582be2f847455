import { expect, test } from 'vitest';
import { findBaseRevision } from '../../src/git/base-revision.ts';
import { createProject, runGit } from '../project.ts';

test('prefers a branch of the server to a local branch with the same name', async () => {
  const top = createProject();
  const base = async (name: string) => findBaseRevision(top, { base: name, isInCi: true, isBaseBuild: false });
  const commitAt = (ref: string) => {
    const commit = runGit(top, 'commit-tree', '-m', ref, runGit(top, 'write-tree').trim()).trim();
    runGit(top, 'update-ref', ref, commit);
    return commit;
  };
  commitAt('refs/tags/main');
  expect(await base('main'), 'a tag is no branch').toMatchObject({ missing: expect.stringContaining('main is not') });
  for (const ref of ['refs/heads/main', 'refs/remotes/main', 'refs/remotes/origin/main']) {
    const commit = commitAt(ref);
    expect(await base('main'), ref).toMatchObject({ commit, name: `main (${commit.slice(0, 12)})` });
    expect(await base('m*'), 'a name is no pattern').toHaveProperty('missing');
  }
});
