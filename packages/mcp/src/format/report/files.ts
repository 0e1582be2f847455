/** Writes a run as JUnit XML in the dialect of Jenkins, and as CTRF JSON (https://ctrf.io, version 0.0.0). */

import type { CaseRecord } from 'argus-engine';
import { verdictText } from '../failures/evidence-text.ts';
import type { RunReport } from './run-report.ts';

const SEPARATOR = ' > ';

export function junitReport({ run, cases }: RunReport): string {
  const files = new Map<string, CaseRecord[]>();
  for (const one of cases) {
    const [file = ''] = one.caseName.split(SEPARATOR);
    files.set(file, [...(files.get(file) ?? []), one]);
  }
  const suites = [...files].map(([file, of]) => {
    const failures = of.filter(({ status }) => status === 'failed').length;
    const skipped = of.filter(({ status }) => status === 'skipped').length;
    const counts = `tests="${of.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
    return [`  <testsuite name="${xml(file)}" ${counts}>`, ...of.map(testcase), '  </testsuite>'].join('\n');
  });
  const totals = `tests="${cases.length}" failures="${run.failed}" time="${seconds(run.durationMs)}" timestamp="${run.timestamp}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="argus" ${totals}>`,
    ...suites,
    '</testsuites>',
  ].join('\n');
}

function testcase(one: CaseRecord): string {
  const [file = '', ...rest] = one.caseName.split(SEPARATOR);
  const name = rest.length > 0 ? rest.join(SEPARATOR) : file;
  const time = one.durationMs === null ? '' : ` time="${seconds(one.durationMs)}"`;
  const start = `    <testcase classname="${xml(file)}" name="${xml(name)}"${time}`;
  if (one.status === 'skipped') return `${start}><skipped/></testcase>`;
  if (one.status === 'passed') return `${start}/>`;
  const found = one.verdict === undefined ? '' : `Argus: ${verdictText(one.verdict)}\n`;
  const message = `message="${xml(one.headline ?? '')}" type="${xml(one.category ?? 'UNKNOWN')}"`;
  return `${start}><failure ${message}>${xml(`${found}${one.error ?? ''}`)}</failure></testcase>`;
}

export function ctrfReport({ run, cases }: RunReport): string {
  const start = Date.parse(run.timestamp);
  const tests = cases.map((one) => ({
    name: one.caseName,
    status: one.status,
    duration: Math.round(one.durationMs ?? 0),
    ...(one.flaky && { flaky: true }),
    ...(one.attempts > 1 && { retries: one.attempts - 1 }),
    ...(one.headline !== null && { message: one.headline }),
    ...(one.error !== null && { trace: one.error }),
    ...(one.verdict !== undefined && { extra: { verdict: one.verdict } }),
  }));
  const summary = {
    tests: cases.length,
    passed: run.passed,
    failed: run.failed,
    skipped: run.skipped,
    pending: 0,
    other: 0,
    start,
    stop: start + Math.round(run.durationMs),
  };
  const environment = { branchName: run.gitBranch ?? undefined, commit: run.gitCommit ?? undefined };
  return JSON.stringify({
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: { tool: { name: 'argus' }, summary, tests, environment },
  });
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}

/** Escapes a text and removes characters that XML 1.0 does not allow. */
function xml(value: string): string {
  return value
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
