import { expect, test } from 'vitest';
import { createProject, type Data } from '../harness.ts';
import { agent } from '../one-agent.ts';

const MAX_ERROR_CHARACTERS = 2_000;

const ENVIRONMENT = { os: 'linux', language: 'go', language_major: 1 };
const INCIDENT = {
  title: 'dial tcp: lookup redis: no such host',
  error_signature: 'panic: dial tcp: lookup redis on 10.0.0.2:53: no such host',
  steps: 'Start the redis service before the tests.',
  env: ENVIRONMENT,
  worked: true,
};
const LONG_TEXT = 'x'.repeat(1_000_000);

/** Valid arguments for each tool. */
const TOOL_ARGUMENTS: Record<string, Data> = {
  ranked_solutions: { query_text: 'Error: x', env: {} },
  record_outcome: { solution_id: 'sol-x', worked: true, env: ENVIRONMENT },
  add_solution: { incident_id: 'inc-x', steps: 'x', env: ENVIRONMENT },
  add_incident: INCIDENT,
};

test.each<[name: string, tool: string, wrong: Data, message: RegExp]>([
  ['an empty query', 'ranked_solutions', { query_text: ' \n\t' }, /query_text.*is empty/u],
  ['a limit of 0', 'ranked_solutions', { limit: 0 }, /limit/u],
  ['a limit of 51', 'ranked_solutions', { limit: 51 }, /limit/u],
  ['a limit that is not a whole number', 'ranked_solutions', { limit: 1.5 }, /limit/u],
  ['a long limit', 'ranked_solutions', { limit: LONG_TEXT }, /limit/u],
  ['an unknown argument', 'ranked_solutions', { querytext: 'y' }, /querytext.*Arguments of/su],
  ['a long unknown argument', 'ranked_solutions', { [LONG_TEXT]: 1 }, /Unrecognized key/u],
  ['a relative project', 'ranked_solutions', { projectPath: 'here' }, /absolute/u],
  ['a project that does not exist', 'ranked_solutions', { projectPath: '/does/not/exist' }, /does not exist/u],
  ['a long project', 'ranked_solutions', { projectPath: `/${LONG_TEXT}` }, /absolute path/u],
  ['a list as env', 'ranked_solutions', { env: ['linux'] }, /env/u],
  ['a nested env', 'ranked_solutions', { env: { os: { name: 'linux' } } }, /env/u],
  ['a long name in env', 'ranked_solutions', { env: { [LONG_TEXT]: [] } }, /env/u],
  ['no worked', 'record_outcome', { worked: undefined }, /worked/u],
  ['an env_bucket without a known field', 'record_outcome', { env_bucket: 'whatever' }, /env_bucket/u],
  ['notes of 1 MB', 'record_outcome', { notes: LONG_TEXT }, /notes.*10 KB/u],
  ['an env_bucket without a known field', 'add_solution', { env_bucket: 'whatever' }, /env_bucket/u],
  ['steps of 1 MB', 'add_solution', { steps: LONG_TEXT }, /steps.*100 KB/u],
  ['worked as a text', 'add_incident', { worked: 'yes' }, /worked/u],
  ['empty steps', 'add_incident', { steps: ' \n' }, /steps.*is empty/u],
  ['an empty title', 'add_incident', { title: ' ' }, /title.*is empty/u],
  ['10,000 tags', 'add_incident', { tags: Array(10_000).fill('tag') }, /tags.*50/u],
  ...Object.keys(TOOL_ARGUMENTS).map((tool): [string, string, Data, RegExp] => [
    'no env',
    tool,
    { env: undefined },
    /env/u,
  ]),
])('%s of %s is INVALID_INPUT', async (_name, tool, wrong, message) => {
  const error = await agent.askError(tool, { projectPath: createProject(), ...TOOL_ARGUMENTS[tool], ...wrong });
  expect(error).toEqual({ code: 'INVALID_INPUT', message: expect.stringMatching(message) });
  expect(error.message.length).toBeLessThan(MAX_ERROR_CHARACTERS);
});
