/**
 * A command line for every command of Argus, in a project that `traps.ts` creates. git.test.ts checks that no command
 * is missing.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the folder in which a reporter stores a finished run. */
const finishedRunFolder = (root: string) => path.join(root, '.argus', 'ended');

/** Writes the finished run that the command line of `record` reads. */
export function writeFinishedRun(root: string, end: { command: string; output: string }): void {
  mkdirSync(finishedRunFolder(root), { recursive: true });
  writeFileSync(
    path.join(finishedRunFolder(root), 'end.json'),
    JSON.stringify({ runner: 'vitest', exitCode: 1, ...end }),
  );
}

/**
 * Returns the command lines of every command. Field names such as `runId` are placeholders for ids from earlier
 * answers.
 */
export function listCommandLines(root: string): string[][] {
  const at = ['--project', root];
  const loop = ['--desired', 'it is well', '--backoff', '0'];
  return [
    ['doctor', ...at],
    ['adopt', ...at],
    ['run', '--json', ...at, 'node', 'check.js'],
    ['diagnose', 'runId', 'node check.js', ...at],
    ['report-fix', 'runId', 'node check.js', 'a better answer', ...at],
    ['import', 'report.xml', ...at],
    ['record', finishedRunFolder(root)],
    ['learn', '--from-git', '50', ...at],
    ['learn', '--from-ci', `${root}/.argus`, ...at],
    ['forget', 'everything', ...at],
    ['history', ...at],
    ['receipt', ...at],
    ['patterns', ...at],
    ['tests', ...at],
    ['tests', 'node check.js', ...at],
    ['walls', ...at],
    ['fixes', ...at],
    ['prove', 'latest', '--yes', ...at],
    ['report', '--base', 'main', ...at],
    ['ci', 'report.xml', '--gate', '--base', 'main', ...at],
    ['gate', '--base', 'main', ...at],
    ['inspect'],
    ['solutions', 'TypeError: cannot use answer', ...at],
    ['add-incident', 'unheard of', 'turn it', 'worked', '--error', 'zig: no zag', '--json', ...at],
    ['add-solution', 'incident_id', 'turn it twice', ...at],
    ['outcome', 'solution_id', 'worked', ...at],
    ['memory', 'export', ...at],
    ['generate-inputs', 'setup.sh', ...at],
    ['fix-problem', '--command', 'node check.js', ...loop, ...at],
    ['fix-problem', '--resume', '--outside', 'nothing to see', ...at],
    ['fix-problem', 'TypeError: cannot use answer from port', '--test', 'node check.js', ...loop, ...at],
    ['view', '--export', 'page.html', ...at],
    ['serve', '--tls-cert', 'cert.pem'],
    ['token', 'list'],
    ['migrate', '--database', 'postgres://127.0.0.1:1/argus'],
    ['backup', 'shop', 'copy.db', '--database', 'postgres://127.0.0.1:1/argus'],
    ['team', 'join', 'http://127.0.0.1:9', '--as', 'shop', ...at],
    ['team', 'status', ...at],
    ['share', '--as', 'ann', ...at],
    ['share', '--check', ...at],
    ['hook'],
    ['score', '--mine', ...at],
    ['clean', '--all', ...at],
    ['install', '--agent', 'claude', 'codex', '--hook', '--agents-md', '--yes', ...at],
    ['install', '--agents-md', '--agent', 'claude', 'codex', '--remove', '--yes', ...at],
  ];
}

/** Extracts the ids of runs, incidents and solutions from an answer, by field name. */
export function extractIds(answer: string): Record<string, string> {
  const found = [...answer.matchAll(/"(runId|incident_id|solution_id)":"([^"]+)"/gu)];
  return Object.fromEntries(found.map(([, name = '', id = '']) => [name, id]));
}

/** Returns a command line for each of the names. */
export function commandLinesOf(root: string, ...names: string[]): string[][] {
  return names.map((name) => listCommandLines(root).find(([first]) => first === name) ?? [name]);
}
