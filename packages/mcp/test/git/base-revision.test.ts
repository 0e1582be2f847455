import { expect, test } from 'vitest';
import { baseRevision } from '../../src/git/base-revision.ts';
import { git, project } from '../project.ts';

test('a branch of the server comes before a local branch with the same name', async () => {
  const top = project();
  const base = async (name: string) => baseRevision(top, { base: name, isInCi: true, isOfBase: false });
  const commitAt = (ref: string) => {
    const commit = git(top, 'commit-tree', '-m', ref, git(top, 'write-tree').trim()).trim();
    git(top, 'update-ref', ref, commit);
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
