/** Secrets in a project's output and in every argument of every command appear in no answer, notification or file. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { argus } from '../e2e/argus.ts';
import { createRepository, runGit } from '../e2e/fix-loop/fix-loop.ts';
import { connect, createUser } from '../e2e/harness.ts';
import { extractIds, listCommandLines, writeFinishedRun } from './git/command-lines.ts';
import { expectNoSecret, listFiles, TOKEN, withSecrets } from './secrets.ts';

const CTRF_REPORT = {
  reportFormat: 'CTRF',
  specVersion: '0.0.0',
  results: {
    tool: { name: withSecrets('vitest') },
    summary: { tests: 1, passed: 0, failed: 1, pending: 0, skipped: 0, other: 0, start: 1, stop: 2 },
    tests: [
      {
        name: withSecrets('adds'),
        status: 'failed',
        rawStatus: withSecrets('raw'),
        duration: 1,
        message: withSecrets('Error:'),
      },
    ],
  },
};

const RunsSchema = z.object({ runs: z.array(z.object({ id: z.string() })) });
const CasesSchema = z.object({ cases: z.tuple([z.object({ caseName: z.string() })], z.unknown()) });

// Takes over 5 s, because it runs a project, an import and a whole loop.
test('no notification, file or line of a run, an import and a loop contains a printed secret', async () => {
  const fails = `printf '%s\\n' '${withSecrets('OrderError: the plan of')}'; sleep 2.5; exit 3`;
  const root = createRepository({ 'fails.sh': fails, 'reports/ctrf.json': JSON.stringify(CTRF_REPORT) });
  runGit(root, 'checkout', '-q', '-b', `fix/${TOKEN}`);
  const env = { ...createUser() };
  const agent = await connect('2026-07-28', env, root);
  await agent.data('argus_init', { projectPath: root });
  const heard: string[] = [];
  const onprogress = ({ message = '' }: { message?: string | undefined }) => void heard.push(message);
  const run = await agent.call('argus_run', { projectPath: root, command: 'sh fails.sh' }, { onprogress });
  const answers: unknown[] = [run];
  answers.push(await agent.call('argus_import', { projectPath: root, path: 'reports/*.json' }));
  const { runs } = RunsSchema.parse(await agent.data('argus_history', { projectPath: root }));
  for (const { id: runId } of runs) {
    const detail = await agent.data('argus_history', { projectPath: root, runId });
    const [{ caseName }] = CasesSchema.parse(detail).cases;
    answers.push(detail, await agent.call('argus_diagnose', { projectPath: root, runId, caseName }));
  }
  answers.push(
    await agent.ask('fix_problem', { projectPath: root, command: 'sh fails.sh', desired: withSecrets('no error') }),
    await agent.ask('fix_status', { projectPath: root }),
  );
  await agent.close();
  expect(heard.join('\n')).toContain('the plan of');
  expectNoSecret(JSON.stringify([answers, heard]), 'an answer or notification');

  const own = new Set(['fails.sh', 'ctrf.json']);
  const left = listFiles(root).filter((file) => !own.has(file.split('/').at(-1) ?? ''));
  expect(left.some((file) => file.endsWith('argus.db')) && left.some((file) => file.includes('/fixes/'))).toBe(true);
  for (const file of [...left, ...listFiles(env.HOME)]) expectNoSecret(readFileSync(file, 'latin1'), file);
});

// Takes over 5 s, because it calls each command of the command line.
test('no command prints secrets of the project, its programs or its arguments', async () => {
  const fails = `console.log(${JSON.stringify(withSecrets('OrderError: the plan of'))}); process.exit(1);`;
  const failure = `<failure message="${withSecrets('Error: no')}">at check.js:4</failure>`;
  const root = createRepository({
    'check.js': fails,
    'report.xml': `<testsuite name="s"><testcase classname="s" name="${withSecrets('adds')}">${failure}</testcase></testsuite>`,
    'setup.sh': `#!/bin/sh\nread -p "${withSecrets('Name')}: " name\n`,
  });
  runGit(root, 'checkout', '-q', '-b', `fix/${TOKEN}`);
  writeFinishedRun(root, { command: withSecrets('vitest'), output: withSecrets('OrderError: the plan of') });
  const env = { ...createUser() };
  const ids: Record<string, string> = {};
  for (const line of listCommandLines(root)) {
    const args = line.map((word) => ids[word] ?? (isFreeText(word) ? withSecrets(word) : word));
    const { stdout, stderr } = await argus(args, { env, cwd: root, input: withSecrets('OrderError: the plan of') });
    expectNoSecret(stdout, args.join(' '));
    if (!PASSING_OUTPUT.includes(args[0] ?? '')) expectNoSecret(stderr, args.join(' '));
    Object.assign(ids, extractIds(stdout));
  }
  expect(Object.keys(ids).sort(), 'it did work').toEqual(['incident_id', 'runId', 'solution_id']);
  for (const file of listFiles(env.HOME)) expectNoSecret(readFileSync(file, 'latin1'), file);
});

/** Commands that pass the output through to stderr, because the user who started the command sees it anyway. */
const PASSING_OUTPUT = ['run', 'fix-problem'];

/** Returns true for a person's text, and false for a command. */
const isFreeText = (word: string) => word.includes(' ') && !word.startsWith('node ');
