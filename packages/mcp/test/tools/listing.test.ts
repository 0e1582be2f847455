/** Rebuilds the generated schemas of the tools and compares them with the file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listedSchemas } from '../../src/tools/shared/listing.ts';
import { TOOLS } from '../../src/tools/shared/registry.ts';

/** After a change: ARGUS_WRITE_SCHEMA=1 npx vitest run packages/mcp/test/tools/listing. */
test('generated/tools.json is current', () => {
  const file = new URL('../../src/generated/tools.json', import.meta.url);
  if (process.env.ARGUS_WRITE_SCHEMA) writeFileSync(file, `${JSON.stringify(listedSchemas(TOOLS), null, 2)}\n`);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(listedSchemas(TOOLS));
});
