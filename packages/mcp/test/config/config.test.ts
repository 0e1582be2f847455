import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { convertAgeToDays, getDatabasePath, loadConfig, parseConfig } from '../../src/config/load.ts';
import { createQuarantineJsonSchema } from '../../src/config/quarantine.ts';
import { createConfigJsonSchema } from '../../src/config/schema.ts';

const COMPLETE_CONFIG = `version: 1
locale: en
history:
  enabled: true
  database: .argus/other.db
  retention: { maxAge: 90d, maxRuns: 500, minRuns: 50 }
memory: { halfLife: 12w }
test:
  command: npm run check
  report: [reports/*.xml]
  timeout: 60
containers: [api]
kubernetes: { namespace: staging }
classify:
  rules:
    - { name: quota, category: HTTP_ERROR, pattern: 'quota exceeded' }
redact:
  patterns:
    - { name: badge, pattern: 'BADGE-(\\d+)' }
`;

test('reads a complete configuration', async () => {
  expect(await parseConfig(COMPLETE_CONFIG, 'argus.yaml')).toEqual(parse(COMPLETE_CONFIG));
});

test('accepts an empty file', async () => {
  expect(await parseConfig('', 'argus.yaml')).toEqual({});
  expect(await parseConfig('# nothing\n', 'argus.yaml')).toEqual({});
});

test.each([
  ['unknown key', 'history:\n  enabled: true\n  enable: false\n', 'argus.yaml:3: history.enable: unknown key'],
  ['unknown top key', 'version: 1\ntests: {}\n', 'argus.yaml:2: tests: unknown key'],
  ['wrong type', 'test:\n  command: x\n  timeout: soon\n', 'argus.yaml:3: test.timeout: '],
  ['wrong value', '\n\nlocale: fr\n', 'argus.yaml:3: locale: '],
  [
    'in a list',
    'classify:\n  rules:\n    - name: a\n      category: NOPE\n      pattern: x\n',
    'argus.yaml:4: classify.rules.0.category: ',
  ],
  ['missing key', 'kubernetes:\n  {}\n', 'argus.yaml:2: kubernetes.namespace: '],
  ['newer version', 'version: 2\n', 'argus.yaml:1: version: '],
  ['broken YAML', 'test:\n  command: "unclosed\n', 'argus.yaml:'],
  ['a list', '- a\n', 'argus.yaml:1: the file: '],
  ['a key twice', 'locale: en\nlocale: zh\n', 'argus.yaml:2: '],
])('names key and line: %s', async (_name, text, message) => {
  await expect(parseConfig(text, 'argus.yaml')).rejects.toThrow(message);
});

test('rejects a YAML alias bomb', async () => {
  const levels = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`);
  await expect(parseConfig(['a0: &a0 [x]', ...levels].join('\n'), 'argus.yaml')).rejects.toThrow();
});

test('finds and reads configuration files', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'argus-config-'));
  const project = { root, top: root, home: root };
  expect(await loadConfig(project)).toMatchObject({ path: null, config: {} });
  await expect(loadConfig(project, 'other.yaml')).rejects.toThrow('does not exist. Correct configFile');
  mkdirSync(path.join(root, 'folder'));
  await expect(loadConfig(project, 'folder')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  writeFileSync(path.join(root, 'argus.yml'), 'locale: en\n');
  expect((await loadConfig(project)).path).toBe(path.join(root, 'argus.yml'));
  mkdirSync(path.join(root, 'folder', 'inner'));
  const inner = { ...project, root: path.join(root, 'folder', 'inner') };
  expect((await loadConfig(inner)).path, 'from any folder inside').toBe(path.join(root, 'argus.yml'));
  writeFileSync(path.join(root, 'folder', 'argus.yaml'), 'history: { database: here.db }\n');
  const nearest = await loadConfig(inner);
  expect(nearest.path).toBe(path.join(root, 'folder', 'argus.yaml'));
  expect(getDatabasePath(inner, nearest.config), 'one database, whoever names it').toBe(path.join(root, 'here.db'));
  writeFileSync(path.join(root, 'folder', 'argus.yaml'), 'history: { database: ../here.db }\n');
  await expect(loadConfig(inner)).rejects.toThrow('points outside the project');
});

test('converts ages to days', () => {
  expect([convertAgeToDays(30), convertAgeToDays('90d'), convertAgeToDays('12w')]).toEqual([30, 90, 84]);
});

/** To write the schema after a change: ARGUS_WRITE_SCHEMA=1 npx vitest run packages/mcp/test/config/config. */
test.each([
  ['argus.schema.json', createConfigJsonSchema],
  ['argus-quarantine.schema.json', createQuarantineJsonSchema],
])('%s is current', (name, schema) => {
  const file = new URL(`../../${name}`, import.meta.url);
  if (process.env.ARGUS_WRITE_SCHEMA) writeFileSync(file, `${JSON.stringify(schema(), null, 2)}\n`);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(schema());
});
