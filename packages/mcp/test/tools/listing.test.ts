/** Creates the schemas of the tools again and compares them with the generated file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { JsonSchema } from '../../src/system/zod.ts';
import { createListedSchemas } from '../../src/tools/shared/listing.ts';
import { TOOLS } from '../../src/tools/shared/registry.ts';

/** To write the file after a change: ARGUS_WRITE_SCHEMA=1 npx vitest run packages/mcp/test/tools/listing. */
test('generated/tools.json is current', () => {
  const file = new URL('../../src/generated/tools.json', import.meta.url);
  if (process.env.ARGUS_WRITE_SCHEMA) writeFileSync(file, `${JSON.stringify(createListedSchemas(TOOLS), null, 2)}\n`);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(createListedSchemas(TOOLS));
});

const NEXT_ACTION_FIELDS = ['next_action.type', 'next_action.instructions'];
const PATTERN_FIELDS =
  'id category signaturePattern description suggestedFix confidence occurrences resolutions source firstSeenAt lastSeenAt';
const fieldsUnder = (field: string, names: string) => names.split(' ').map((name) => `${field}.${name}`);

/** The fields of each tool's answer in `docs/contract`. */
const CONTRACT_FIELDS: Record<string, string[]> = {
  argus_diagnose: [
    ...'category signature signaturePattern pattern suggestedFix confidence fixHistory isNewPattern'.split(' '),
    ...fieldsUnder('pattern', `${PATTERN_FIELDS} signature`),
    ...fieldsUnder('fixHistory', 'id patternId runId caseName fixDescription success createdAt'),
  ],
  argus_patterns: [
    ...'patterns total builtInCount learnedCount'.split(' '),
    ...fieldsUnder('patterns', PATTERN_FIELDS),
  ],
  argus_report_fix:
    'patternId category previousConfidence updatedConfidence occurrences resolutions fixRecordId isNewPattern'.split(
      ' ',
    ),
  ranked_solutions: [
    ...'lookup_id incidents ranked_solutions recommended_solution'.split(' '),
    ...NEXT_ACTION_FIELDS,
    ...fieldsUnder(
      'ranked_solutions',
      'best_env_bucket_match env_match_score reliability_score recency_boost final_solution_score',
    ),
  ],
  record_outcome: ['ok', ...NEXT_ACTION_FIELDS],
  add_solution: ['solution_id', 'env_bucket', ...NEXT_ACTION_FIELDS],
  add_incident: ['incident_id', 'solution_id', 'outcome_id', ...NEXT_ACTION_FIELDS],
};

const CONTRACT_PAGES = ['argus-diagnose', 'argus-patterns', 'argus-report-fix', 'debug-memory']
  .map((page) => readFileSync(new URL(`../../../../docs/contract/${page}.md`, import.meta.url), 'utf8'))
  .join('\n');

test.each(Object.entries(CONTRACT_FIELDS))('tools/list and docs/contract name every field of %s', (name, fields) => {
  const { output } = createListedSchemas(TOOLS)[name] ?? {};
  const data = output?.properties?.data ?? output;
  for (const field of fields) {
    const fieldSchema = field
      .split('.')
      .reduce<JsonSchema | undefined>((schema, part) => (schema?.items ?? schema)?.properties?.[part], data);
    expect(fieldSchema, field).toBeDefined();
    expect(CONTRACT_PAGES).toContain(`\`${field.split('.').at(-1)}\``);
  }
});
