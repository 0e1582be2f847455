// Finds import cycles between the modules of a Rust crate or between TypeScript files. In Rust, a module and its
// submodules may refer to each other; this does not count as a cycle. A re-exported name counts as a use of the file
// that re-exports it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { root } from './exec.mjs';

/** Returns one message for each import cycle between the modules of the crate whose sources are in `folder`. */
export function findCrateCycles(folder) {
  const modules = new Map(readSources(folder).map((file) => [moduleName(file), join(root, folder, file)]));
  const uses = new Map([...modules].map(([name, file]) => [name, findUses(name, readFileSync(file, 'utf8'), modules)]));
  return findCycles(folder, uses);
}

/** Like `findCrateCycles`, for any graph: `uses` maps each file to the files that it uses. */
export function findCycles(folder, uses) {
  return findStronglyConnected(uses)
    .filter((names) => names.length > 1)
    .map((names) => `${folder}: in a circle: ${names.sort().join(', ')}`);
}

function readSources(folder) {
  const files = readdirSync(join(root, folder), { recursive: true }).map(String);
  return files.filter((file) => file.endsWith('.rs') && !/(^|[/\\])tests([/\\]|\.rs$)/.test(file));
}

/** Returns the name of the module in a file. `redact/mod.rs` is the module `redact`, and `lib.rs` has an empty name. */
function moduleName(file) {
  const parts = file.slice(0, -'.rs'.length).split(sep);
  return parts.filter((part, at) => !(at === parts.length - 1 && ['mod', 'lib'].includes(part))).join('::');
}

function findUses(name, text, modules) {
  const code = text.replace(/\/\/[^\n]*/g, '').replace(/#\[cfg\(test\)\]\s*mod [\s\S]*/, '');
  const listed = [...code.matchAll(/\buse\s+([^;]+);/g)].flatMap(([, tree]) => expandUseTree(tree));
  const inline = code.match(/\b[\w]+(?:::\w+)+/g) ?? [];
  const found = [...listed, ...inline].map((path) => resolvePath(name, path.split('::'), modules));
  return new Set(
    found.filter((used) => used !== undefined && used !== name && !`${name}::`.startsWith(`${used}::`) && used !== ''),
  );
}

/** Returns the paths of a `use` declaration: `a::{b, c::d}` becomes `a::b` and `a::c::d`. */
function expandUseTree(tree) {
  const open = tree.indexOf('{');
  if (open < 0) return [tree.replace(/\s+as\s+\w+/, '').trim()];
  const [before, inside] = [tree.slice(0, open).trim(), tree.slice(open + 1, tree.lastIndexOf('}'))];
  const parts = [''];
  let depth = 0;
  for (const letter of inside) {
    if (letter === '{') depth += 1;
    if (letter === '}') depth -= 1;
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.filter((part) => part.trim() !== '').flatMap((part) => expandUseTree(before + part.trim()));
}

/** Returns the file to which a path refers, if the file belongs to this crate. */
function resolvePath(name, path, modules) {
  let [here, rest] = [name === '' ? [] : name.split('::'), path];
  if (path[0] === 'crate') [here, rest] = [[], path.slice(1)];
  else if (path[0] === 'super') while (rest[0] === 'super') [here, rest] = [here.slice(0, -1), rest.slice(1)];
  else if (!modules.has([...here, path[0]].join('::'))) return undefined;
  for (const part of rest) {
    if (!modules.has([...here, part].join('::'))) break;
    here = [...here, part];
  }
  return here.join('::');
}

/** Finds strongly connected components with Tarjan's algorithm (1972). */
function findStronglyConnected(edges) {
  const [number, low, path, found] = [new Map(), new Map(), [], []];
  const visit = (node) => {
    number.set(node, number.size);
    low.set(node, number.get(node));
    path.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!number.has(next)) visit(next);
      if (path.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) === number.get(node)) found.push(path.splice(path.indexOf(node)));
  };
  for (const node of edges.keys()) if (!number.has(node)) visit(node);
  return found;
}
