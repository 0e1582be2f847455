/** Whether a service of continuous integration runs this; all of them set the variable. */
export function isInCi(): boolean {
  const { CI } = process.env;
  return CI !== undefined && !['', '0', 'false'].includes(CI.toLowerCase());
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a service has checked out. */
export interface CiCheckout {
  branch: string | null;
  commit: string | null;
}

/** By the variables of the service that runs this; nothing where it is none of those known. */
export function ciCheckout(env: Environment): CiCheckout {
  const services: [boolean, { branch: string[]; commit: string }][] = [
    // The branch of a pull request comes first: the other variable has the name of a merge there.
    [env.GITHUB_ACTIONS === 'true', { branch: ['GITHUB_HEAD_REF', 'GITHUB_REF_NAME'], commit: 'GITHUB_SHA' }],
    [
      env.GITLAB_CI === 'true',
      { branch: ['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME', 'CI_COMMIT_REF_NAME'], commit: 'CI_COMMIT_SHA' },
    ],
    [env.JENKINS_URL !== undefined, { branch: ['CHANGE_BRANCH', 'BRANCH_NAME', 'GIT_BRANCH'], commit: 'GIT_COMMIT' }],
    [env.BUILDKITE === 'true', { branch: ['BUILDKITE_BRANCH'], commit: 'BUILDKITE_COMMIT' }],
    [env.CIRCLECI === 'true', { branch: ['CIRCLE_BRANCH'], commit: 'CIRCLE_SHA1' }],
  ];
  const [, names] = services.find(([isThere]) => isThere) ?? [];
  const first = (variables: string[]) => variables.map((name) => env[name]).find((value) => value) ?? null;
  return { branch: first(names?.branch ?? []), commit: first(names ? [names.commit] : []) };
}
