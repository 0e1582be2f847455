/** Secrets in a project's output and in every argument of every command appear in no answer, notification or file. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { argus } from '../e2e/argus.ts';
import { git, repository } from '../e2e/fix-loop/fix-loop.ts';
import { connect, someUser } from '../e2e/harness.ts';
import { commandLines, endRun, idsIn } from './git/command-lines.ts';
import { expectNone, filesIn, planted, TOKEN } from './secrets.ts';

const CTRF = {
  reportFormat: 'CTRF',
  specVersion: '0.0.0',
  results: {
    tool: { name: planted('vitest') },
    summary: { tests: 1, passed: 0, failed: 1, pending: 0, skipped: 0, other: 0, start: 1, stop: 2 },
    tests: [
      { name: planted('adds'), status: 'failed', rawStatus: planted('raw'), duration: 1, message: planted('Error:') },
    ],
  },
};

const Runs = z.object({ runs: z.array(z.object({ id: z.string() })) });
const Cases = z.object({ cases: z.tuple([z.object({ caseName: z.string() })], z.unknown()) });

// Over 5 s, because it runs a project, an import and a whole loop.
test('no notification, file or line of a run, an import and a loop contains a printed secret', async () => {
  const fails = `printf '%s\\n' '${planted('OrderError: the plan of')}'; sleep 2.5; exit 3`;
  const root = repository({ 'fails.sh': fails, 'reports/ctrf.json': JSON.stringify(CTRF) });
  git(root, 'checkout', '-q', '-b', `fix/${TOKEN}`);
  const env = { ...someUser() };
  const agent = await connect('2026-07-28', env, root);
  await agent.data('argus_init', { projectPath: root });
  const heard: string[] = [];
  const onprogress = ({ message = '' }: { message?: string | undefined }) => void heard.push(message);
  const run = await agent.call('argus_run', { projectPath: root, command: 'sh fails.sh' }, { onprogress });
  const answers: unknown[] = [run];
  answers.push(await agent.call('argus_import', { projectPath: root, path: 'reports/*.json' }));
  const { runs } = Runs.parse(await agent.data('argus_history', { projectPath: root }));
  for (const { id: runId } of runs) {
    const detail = await agent.data('argus_history', { projectPath: root, runId });
    const [{ caseName }] = Cases.parse(detail).cases;
    answers.push(detail, await agent.call('argus_diagnose', { projectPath: root, runId, caseName }));
  }
  answers.push(
    await agent.ask('fix_problem', { projectPath: root, command: 'sh fails.sh', desired: planted('no error') }),
    await agent.ask('fix_status', { projectPath: root }),
  );
  await agent.close();
  expect(heard.join('\n')).toContain('the plan of');
  expectNone(JSON.stringify([answers, heard]), 'an answer or notification');

  const own = new Set(['fails.sh', 'ctrf.json']);
  const left = filesIn(root).filter((file) => !own.has(file.split('/').at(-1) ?? ''));
  expect(left.some((file) => file.endsWith('argus.db')) && left.some((file) => file.includes('/fixes/'))).toBe(true);
  for (const file of [...left, ...filesIn(env.HOME)]) expectNone(readFileSync(file, 'latin1'), file);
});

// Over 5 s, because it calls each command of the command line.
test('no command prints secrets of the project, its programs or its arguments', async () => {
  const fails = `console.log(${JSON.stringify(planted('OrderError: the plan of'))}); process.exit(1);`;
  const failure = `<failure message="${planted('Error: no')}">at check.js:4</failure>`;
  const root = repository({
    'check.js': fails,
    'report.xml': `<testsuite name="s"><testcase classname="s" name="${planted('adds')}">${failure}</testcase></testsuite>`,
    'setup.sh': `#!/bin/sh\nread -p "${planted('Name')}: " name\n`,
  });
  git(root, 'checkout', '-q', '-b', `fix/${TOKEN}`);
  endRun(root, { command: planted('vitest'), output: planted('OrderError: the plan of') });
  const env = { ...someUser() };
  const ids: Record<string, string> = {};
  for (const line of commandLines(root)) {
    const args = line.map((word) => ids[word] ?? (isFreeText(word) ? planted(word) : word));
    const { stdout, stderr } = await argus(args, { env, cwd: root, input: planted('OrderError: the plan of') });
    expectNone(stdout, args.join(' '));
    if (!PASSES_OUTPUT_ON.includes(args[0] ?? '')) expectNone(stderr, args.join(' '));
    Object.assign(ids, idsIn(stdout));
  }
  expect(Object.keys(ids).sort(), 'it did work').toEqual(['incident_id', 'runId', 'solution_id']);
  for (const file of filesIn(env.HOME)) expectNone(readFileSync(file, 'latin1'), file);
});

/** Commands that pass the output through to stderr, because the user who started the command sees it anyway. */
const PASSES_OUTPUT_ON = ['run', 'fix-problem'];

/** True for a person's text, false for a command. */
const isFreeText = (word: string) => word.includes(' ') && !word.startsWith('node ');
