// Lists the third-party software in a published package: THIRD-PARTY-NOTICES.txt with all licenses, and sbom.cdx.json
// in the format of CycloneDX (https://cyclonedx.org). Both are derived from the output of the bundler and of cargo,
// with versions and digests from the lock files, so that the same input results in the same bytes. Software that is
// used only for building or testing is not listed.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';

const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));
const WASM_TARGET = 'wasm32-unknown-unknown';

/** The header of SQLite's own source files. */
const SQLITE_BLESSING = `The author disclaims copyright to this source code. In place of a legal notice, here is a blessing:

   May you do good and not evil.
   May you find forgiveness for yourself and forgive others.
   May you share freely, never taking more than you give.`;

/** Writes both files next to the bundle in `out`. `modules` are the files of node_modules that are in the bundle. */
export function writeThirdParty(manifest, modules, out) {
  const components = [...listCrates(), ...listPackages(modules)].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  writeFileSync(join(out, 'THIRD-PARTY-NOTICES.txt'), formatNotices(manifest.name, components));
  writeFileSync(join(out, 'sbom.cdx.json'), formatBom(manifest, components));
}

/** Returns the source files that contribute to the output of rolldown. */
export function listBundledFiles(output) {
  const modules = output.flatMap((file) => Object.entries(file.modules ?? {}));
  return modules.filter(([id, { renderedLength }]) => isAbsolute(id) && renderedLength > 0).map(([id]) => id);
}

/** Returns the crates that are linked into the engine, the standard library, and SQLite. */
function listCrates() {
  const { channel } = /channel = "(?<channel>[^"]+)"/.exec(readText('rust-toolchain.toml')).groups;
  const found = listLinkedCrates().map(({ name, version, license, authors, manifest_path }) => {
    const folder = dirname(manifest_path);
    const texts = readLicenseTexts(folder, license, authors.join(', ') || `the authors of ${name}`);
    const hash = { 'SHA-256': readChecksums().get(`${name} ${version}`) };
    return {
      name,
      version,
      license: license.replaceAll('/', ' OR '),
      purl: `pkg:cargo/${name}@${version}`,
      texts,
      hash,
    };
  });
  return [
    ...found,
    {
      name: 'rust-std',
      version: channel,
      license: 'MIT OR Apache-2.0',
      purl: `pkg:generic/rust-std@${channel}`,
      texts: [standardLicenseText('MIT', 'The Rust Project Contributors')],
    },
    describeSqlite(),
  ];
}

function describeSqlite() {
  const crate = listLinkedCrates().find(({ name }) => name === 'sqlite-wasm-rs');
  const header = readFileSync(join(dirname(crate.manifest_path), 'sqlite3', 'sqlite3.h'), 'utf8');
  const version = /^#define SQLITE_VERSION\s+"(?<version>[\d.]+)"/m.exec(header)?.groups.version;
  if (!version) throw new Error(`${crate.name} holds no SQLite of a known form`);
  return {
    name: 'sqlite',
    version,
    license: 'blessing',
    purl: `pkg:generic/sqlite@${version}`,
    texts: [SQLITE_BLESSING],
  };
}

/**
 * Returns the crates that cargo links into the engine with their enabled features. Crates that run only in the compiler
 * are left out.
 */
function listLinkedCrates() {
  const edges = ['--edges', 'normal,no-proc-macro', '--prefix', 'none', '--format', '{p}'];
  const listed = runCargo(['tree', '--locked', '--package', 'argus-wasm', '--target', WASM_TARGET, ...edges]);
  const linked = new Set([...listed.matchAll(/^(\S+) v(\S+)/gm)].map(([, name, version]) => `${name} ${version}`));
  return readMetadata().packages.filter(
    ({ name, version, source }) => source !== null && linked.has(`${name} ${version}`),
  );
}

function runCargo(args) {
  return execFileSync('cargo', args, { cwd: repositoryRoot, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
}

let cachedMetadata;
function readMetadata() {
  cachedMetadata ??= JSON.parse(
    runCargo(['metadata', '--format-version', '1', '--locked', '--filter-platform', WASM_TARGET]),
  );
  return cachedMetadata;
}

function readChecksums() {
  const entries = readText('Cargo.lock').matchAll(/^name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "(.+)"/gm);
  return new Map([...entries].map(([, name, version, checksum]) => [`${name} ${version}`, checksum]));
}

/** Returns the npm packages to which these files belong. */
function listPackages(modules) {
  const locked = JSON.parse(readText('package-lock.json')).packages;
  const folders = new Set(modules.map(findPackageFolder).filter((folder) => folder !== undefined));
  return [...folders].map((folder) => {
    const { name, version, license, author } = JSON.parse(
      readFileSync(join(repositoryRoot, folder, 'package.json'), 'utf8'),
    );
    const entry = locked[folder];
    if (entry?.version !== version) throw new Error(`${folder} is not what the lock file says: npm ci`);
    const texts = readLicenseTexts(
      join(repositoryRoot, folder),
      license,
      author?.name ?? author ?? `the authors of ${name}`,
    );
    const [, digest] = /^sha512-(.+)$/.exec(entry.integrity) ?? [];
    const hash = digest && { 'SHA-512': Buffer.from(digest, 'base64').toString('hex') };
    return { name, version, license, purl: `pkg:npm/${name.replace('@', '%40')}@${version}`, texts, hash };
  });
}

/**
 * Returns for example `node_modules/zod` for any file inside that folder, relative to the project, or undefined for the
 * project's own files.
 */
function findPackageFolder(file) {
  const parts = relative(repositoryRoot, file).split(sep);
  const at = parts.lastIndexOf('node_modules');
  if (at < 0) return undefined;
  return parts.slice(0, at + (parts[at + 1].startsWith('@') ? 3 : 2)).join('/');
}

/** Returns the license texts of a package. If a package offers several licenses, MIT is chosen. */
function readLicenseTexts(folder, licence, holder) {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice|unlicense)/i.test(name));
  const mit = / AND /.test(licence) ? [] : names.filter((name) => /mit/i.test(name));
  const texts = (mit.length > 0 ? mit : names).sort().map((name) => readFileSync(join(folder, name), 'utf8').trim());
  return texts.length > 0 ? texts : [standardLicenseText(licence, holder)];
}

/**
 * Returns the license text for packages that name their license but do not contain its text. The project's own license
 * file is used, because it is the MIT license.
 */
function standardLicenseText(licence, holder) {
  if (licence !== 'MIT') throw new Error(`there is no text of ${licence} (${holder}); add it here`);
  return readText('packages/mcp/LICENSE')
    .replace(/^Copyright .*$/m, `Copyright (c) ${holder}`)
    .trim();
}

function formatNotices(name, components) {
  const rule = '-'.repeat(100);
  const parts = components.map(({ name, version, license, texts }) =>
    [rule, `${name} ${version}`, `License: ${license}`, '', texts.join('\n\n'), ''].join('\n'),
  );
  const head = `${name} contains the following third-party software, in whole or in part.\n`;
  return [head, ...parts].join('\n').replaceAll('\r\n', '\n');
}

function formatBom({ name, version, license, description }, components) {
  const main = formatComponent(Enums.ComponentType.Application, {
    name,
    version,
    license,
    purl: `pkg:npm/${name}@${version}`,
  });
  main.description = description;
  const made = new Models.Bom({ metadata: new Models.Metadata({ component: main }) });
  for (const one of components) {
    const part = formatComponent(Enums.ComponentType.Library, one);
    made.components.add(part);
    main.dependencies.add(part.bomRef);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(made, { sortLists: true, space: 2 })}\n`;
}

function formatComponent(type, { name, version, license, purl, hash = {} }) {
  const licenses = new Models.LicenseRepository();
  // The library's expression parser is not installed, so a license that is a single word is treated as an id.
  licenses.add(/ /.test(license) ? new Models.LicenseExpression(license) : new Models.SpdxLicense(license));
  const hashes = new Models.HashDictionary(Object.entries(hash).filter(([, digest]) => digest));
  return new Models.Component(type, name, { version, purl, bomRef: purl, licenses, hashes });
}

function readText(file) {
  return readFileSync(join(repositoryRoot, file), 'utf8');
}
