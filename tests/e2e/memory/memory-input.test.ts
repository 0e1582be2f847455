/**
 * Wrong input of the debug memory, and texts that must not be shown. The contract: memory.test.ts. Hostile queries, environments
 * and sizes: `crates/engine/src/tests/memory/hostile.rs`.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Data, project } from '../harness.ts';
import { agent } from '../one-agent.ts';

/** An agent reads every answer, so that more than this is too much. */
const MAX_ANSWER_CHARACTERS = 256 * 1024;
const MAX_ERROR_CHARACTERS = 2_000;

const ENV = { os: 'linux', language: 'go', language_major: 1 };
const INCIDENT = {
  title: 'dial tcp: lookup redis: no such host',
  error_signature: 'panic: dial tcp: lookup redis on 10.0.0.2:53: no such host',
  steps: 'Start the redis service before the tests.',
  env: ENV,
  worked: true,
};
const LONG = 'x'.repeat(1_000_000);

/** The tools on the memory of a project. */
function memory(root = project()) {
  const ask = async (tool: string, args: Data) => {
    const answer = await agent.ask(tool, { projectPath: root, ...args });
    expect(JSON.stringify(answer).length).toBeLessThan(MAX_ANSWER_CHARACTERS);
    return answer;
  };
  return {
    root,
    ask,
    search: (args: Data = {}) => ask('ranked_solutions', { query_text: INCIDENT.error_signature, env: ENV, ...args }),
    stored: () => readFileSync(path.join(root, '.argus', 'argus.db')),
  };
}

/** Arguments that are right for each tool. */
const CALLS: Record<string, Data> = {
  ranked_solutions: { query_text: 'Error: x', env: {} },
  record_outcome: { solution_id: 'sol-x', worked: true, env: ENV },
  add_solution: { incident_id: 'inc-x', steps: 'x', env: ENV },
  add_incident: INCIDENT,
};

test.each<[name: string, tool: string, wrong: Data, message: RegExp]>([
  ['an empty query', 'ranked_solutions', { query_text: ' \n\t' }, /query_text.*is empty/u],
  ['a limit of 0', 'ranked_solutions', { limit: 0 }, /limit/u],
  ['a limit of 51', 'ranked_solutions', { limit: 51 }, /limit/u],
  ['a limit that is no whole number', 'ranked_solutions', { limit: 1.5 }, /limit/u],
  ['a long limit', 'ranked_solutions', { limit: LONG }, /limit/u],
  ['an unknown argument', 'ranked_solutions', { querytext: 'y' }, /querytext.*Arguments of/su],
  ['a long unknown argument', 'ranked_solutions', { [LONG]: 1 }, /Unrecognized key/u],
  ['a relative project', 'ranked_solutions', { projectPath: 'here' }, /absolute/u],
  ['a project that does not exist', 'ranked_solutions', { projectPath: '/does/not/exist' }, /does not exist/u],
  ['a long project', 'ranked_solutions', { projectPath: `/${LONG}` }, /absolute path/u],
  ['a list as env', 'ranked_solutions', { env: ['linux'] }, /env/u],
  ['a nested env', 'ranked_solutions', { env: { os: { name: 'linux' } } }, /env/u],
  ['a long name in env', 'ranked_solutions', { env: { [LONG]: [] } }, /env/u],
  ['no worked', 'record_outcome', { worked: undefined }, /worked/u],
  ['an env_bucket without a known field', 'record_outcome', { env_bucket: 'whatever' }, /env_bucket/u],
  ['notes of 1 MB', 'record_outcome', { notes: LONG }, /notes.*10 KB/u],
  ['an env_bucket without a known field', 'add_solution', { env_bucket: 'whatever' }, /env_bucket/u],
  ['steps of 1 MB', 'add_solution', { steps: LONG }, /steps.*100 KB/u],
  ['worked as a text', 'add_incident', { worked: 'yes' }, /worked/u],
  ['empty steps', 'add_incident', { steps: ' \n' }, /steps.*is empty/u],
  ['an empty title', 'add_incident', { title: ' ' }, /title.*is empty/u],
  ['10,000 tags', 'add_incident', { tags: Array(10_000).fill('tag') }, /tags.*50/u],
  ...Object.keys(CALLS).map((tool): [string, string, Data, RegExp] => ['no env', tool, { env: undefined }, /env/u]),
])('%s of %s is INVALID_INPUT', async (_name, tool, wrong, message) => {
  const error = await agent.askError(tool, { projectPath: project(), ...CALLS[tool], ...wrong });
  expect(error).toEqual({ code: 'INVALID_INPUT', message: expect.stringMatching(message) });
  expect(error.message.length).toBeLessThan(MAX_ERROR_CHARACTERS);
});

test('secrets, also the ones that the configuration describes, are neither answered nor stored', async () => {
  const root = project({ 'argus.yaml': "redact: { patterns: [{ name: badge, pattern: 'badge-\\d{6}' }] }\n" });
  const { ask, search, stored } = memory(root);
  const token = `ghp_${'aB3dE5gH7jK9'.repeat(3)}`;
  const leak = `badge-123456 uses https://x:${token}@github.com/o/r`;
  const env = { ...ENV, remote: leak, api_key: token };
  const texts = { title: `clone failed: ${leak}`, error_signature: `fatal: ${leak}`, summary: leak, steps: leak };
  const added = await ask('add_incident', { ...texts, tags: [token], notes: leak, env, worked: true });
  const found = await search({ query_text: `clone failed: fatal: ${leak}`, env });
  expect(found).toMatchObject({ incidents: [{ incident_id: added.incident_id }] });
  for (const secret of [token, 'badge-123456']) {
    expect(JSON.stringify([added, found])).not.toContain(secret);
    expect(stored().includes(secret)).toBe(false);
  }
});

test('invisible characters are neither stored nor answered', async () => {
  const { ask, search } = memory();
  const hidden = `Start it\u200b.${String.fromCodePoint(0xe0049, 0xe0067)}\u202eevil\u2066 \u001b[31mnow\u001b[0m`;
  await ask('add_incident', { ...INCIDENT, steps: hidden, title: `${INCIDENT.title}\u202e` });
  const answer = await search();
  expect(answer).toMatchObject({ recommended_solution: { steps: 'Start it.evil now' } });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
  const hiddenCharacters = /\\u001b|\u001b|[\u200b\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/u;
  expect(JSON.stringify(answer)).not.toMatch(hiddenCharacters);
});
