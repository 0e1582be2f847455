/** Maximum length of a test's error in a report that is made from printed output. */
export const MAX_ERROR_CHARACTERS = 64 * 1024;

/** Returns a report in the Common Test Report Format. */
export function ctrfReport(tool: string, tests: readonly object[]): string {
  return JSON.stringify({
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: { tool: { name: tool }, summary: {}, tests },
  });
}
