/**
 * Report files for the tests, written here so that a test shows their content. tests/runners has reports of real
 * runners.
 */

interface TestCase {
  name: string;
  classname?: string;
  failure?: { message: string; text?: string; type?: string };
  skipped?: boolean;
}

/** Returns a JUnit file with a single suite. */
export function formatJunit(cases: TestCase[], suite = 'api'): string {
  const failures = cases.filter((one) => one.failure).length;
  const skipped = cases.filter((one) => one.skipped).length;
  const body = cases.map((one) => formatTestCase(one, suite)).join('\n');
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="0.5"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n<testsuite name="${suite}" ${counts}>\n${body}\n</testsuite>\n</testsuites>\n`;
}

function formatTestCase({ name, classname, failure, skipped }: TestCase, suite: string): string {
  const open = `<testcase name="${escapeXml(name)}" classname="${escapeXml(classname ?? suite)}" time="0.1"`;
  if (skipped) return `${open}><skipped/></testcase>`;
  if (!failure) return `${open}/>`;
  const type = failure.type === undefined ? '' : ` type="${escapeXml(failure.type)}"`;
  const text = escapeXml(failure.text ?? failure.message);
  return `${open}><failure message="${escapeXml(failure.message)}"${type}>${text}</failure></testcase>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** A passing case, a skipped case, and failures of the kinds that the tests need. */
export const MIXED_REPORT = formatJunit([
  { name: 'health-check', failure: { message: 'connect ECONNREFUSED 127.0.0.1:5432', type: 'Error' } },
  {
    name: 'parses',
    failure: { message: 'Cannot read properties of undefined (reading "id")', type: 'TypeError' },
  },
  { name: 'lists users' },
  { name: 'pays', skipped: true },
]);

export const PASSED_REPORT = formatJunit([{ name: 'health-check' }, { name: 'parses' }]);
