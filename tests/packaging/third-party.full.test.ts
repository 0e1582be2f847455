/** The third-party software that the packages declare, and the source paths in the engine's module. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGE_FOLDERS = ['npm/engine', 'packages/mcp'];

const licenseSchema = z.union([
  z.strictObject({ license: z.object({ id: z.string() }) }),
  z.strictObject({ expression: z.string() }),
]);
const componentSchema = z.object({
  type: z.literal('library'),
  name: z.string().min(1),
  version: z.string().regex(/^\d/u),
  'bom-ref': z.string(),
  purl: z.string().regex(/^pkg:(?:cargo|npm|generic)\/.+@\d/u),
  hashes: z.array(z.object({ alg: z.enum(['SHA-256', 'SHA-512']), content: z.string() })).optional(),
  licenses: z.array(licenseSchema).length(1),
});
const billSchema = z.object({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.6'),
  metadata: z.object({ component: z.object({ name: z.string(), version: z.string(), purl: z.string() }) }),
  components: z.array(componentSchema).min(1),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});

/** Licenses that allow redistribution under the terms of this project. */
const FREE_LICENSES =
  /^(?:MIT|Apache-2\.0|BSD-[23]-Clause|BSL-1\.0|ISC|0BSD|Unicode-3\.0|Unlicense|Zlib|blessing|OR|AND|[()])$/u;

const readDistFile = (folder: string, file: string) => readFileSync(join(projectRoot, folder, 'dist', file), 'utf8');
const readBill = (folder: string) => billSchema.parse(JSON.parse(readDistFile(folder, 'sbom.cdx.json')));

describe.each(PACKAGE_FOLDERS)('%s', (folder) => {
  test('the bill of materials is complete for this version', () => {
    const { metadata, components, dependencies } = readBill(folder);
    const { name, version } = JSON.parse(readFileSync(join(projectRoot, folder, 'package.json'), 'utf8'));
    expect(metadata.component).toMatchObject({ name, version, purl: `pkg:npm/${name}@${version}` });
    const refs = components.map((one) => one['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    expect(dependencies.find(({ ref }) => ref === metadata.component.purl)?.dependsOn?.sort()).toEqual(refs.sort());
    const unchecked = components.filter(({ hashes, purl }) => !hashes && !purl.startsWith('pkg:generic/'));
    expect(unchecked).toEqual([]);
  });

  test('the bill lists every crate that appears in the engine', () => {
    const named = readBill(folder).components.map(({ purl }) => purl);
    const module = readFileSync(join(projectRoot, folder, 'dist/argus_engine.wasm'), 'latin1');
    const seen = new Set(
      [...module.matchAll(/\bcrates\/([\w-]+?)-(\d[\w.+-]*)\/src\//gu)].map(
        ([, name, version]) => `${name}@${version}`,
      ),
    );
    expect(seen.size).toBeGreaterThan(15);
    for (const crate of seen) expect(named).toContain(`pkg:cargo/${crate}`);
    expect(named).toEqual(expect.arrayContaining([expect.stringMatching(/^pkg:generic\/sqlite@3\./u)]));
    for (const name of ['syn', 'quote', 'serde_derive', 'proptest', 'cc']) {
      expect(named.filter((purl) => purl.startsWith(`pkg:cargo/${name}@`))).toEqual([]);
    }
  });

  test('every part has a license text that allows redistribution', () => {
    const notices = readDistFile(folder, 'THIRD-PARTY-NOTICES.txt').split(/^-{100}$/mu);
    for (const { name, version, licenses } of readBill(folder).components) {
      const [text] = notices.filter((part) => part.startsWith(`\n${name} ${version}\n`));
      expect(text?.length, name).toBeGreaterThan(250);
      const [entry] = licenses;
      const words = entry && 'expression' in entry ? entry.expression : (entry?.license.id ?? '');
      expect(
        words
          .replaceAll(/([()])/gu, ' $1 ')
          .split(' ')
          .filter((word) => word !== '' && !FREE_LICENSES.test(word)),
      ).toEqual([]);
    }
  });
});

test('the bill lists bundled packages but no build tools', () => {
  const names = readBill('packages/mcp').components.filter(({ purl }) => purl.startsWith('pkg:npm/'));
  const named = names.map(({ name }) => name);
  const bundled = ['@modelcontextprotocol/server', 'commander', 'svelte', 'tinyglobby', 'uplot', 'yaml', 'zod'];
  expect(named).toEqual(expect.arrayContaining(bundled));
  for (const name of ['rolldown', 'typescript', 'vite', 'vitest', 'knip']) expect(named).not.toContain(name);
});

test('the engine contains no path of the build machine', () => {
  for (const folder of PACKAGE_FOLDERS) {
    const module = readFileSync(join(projectRoot, folder, 'dist/argus_engine.wasm'), 'latin1');
    // The paths `/root/` and `/home/` are not searched for, because rules of the engine contain them.
    const places = [projectRoot, process.env.CARGO_HOME ?? join(homedir(), '.cargo'), '.cargo/registry', '.rustup/'];
    for (const place of places) expect(module.includes(place), place).toBe(false);
    const sources = module.match(/[\w./@-]{3,200}\.(?:rs|c|h)\b/gu) ?? [];
    expect(sources.length).toBeGreaterThan(20);
    // Paths of the standard library come from the machine that built the library.
    const elsewhere = sources.filter(
      (file) => file.startsWith('/') && !/^\/rust(?:c\/[0-9a-f]{40}|\/deps)\//u.test(file),
    );
    expect(elsewhere).toEqual([]);
  }
});
