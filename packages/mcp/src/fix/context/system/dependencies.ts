/**
 * Lists the imports of the failing file with the lines that declare them, and packages that the error reports as
 * missing. Imports are not resolved: the longest prefix of an import that the nearest manifest contains is taken as its
 * package.
 */

import { escapeRegExp } from '../../../environment/facts.ts';
import type { ContextScope, Finding } from '../context-model.ts';

const MAX_SHOWN = 20;
const MAX_LINE_CHARACTERS = 80;

const MANIFESTS =
  'package.json pyproject.toml requirements.txt setup.py setup.cfg Pipfile Cargo.toml go.mod pom.xml build.gradle build.gradle.kts Gemfile composer.json';

/** Matches imports in any language: a quoted name, or a name after a keyword. */
const IMPORT =
  /(?:\bfrom|\bimport|\brequire|^\s*(?:_\s+)?(?="[\w.-]+\/))\s*\(?\s*["'](?<quoted>[^"'\n]+)["']|^\s*(?:from|import(?: static)?|(?:pub )?use|extern crate|using)\s+(?<name>[\w.:]+)/gmu;

const MISSING_PACKAGE =
  /(?:Cannot find (?:module|package)|Can't resolve|Failed to resolve import|No module named|unresolved import|can't find crate for|no required module provides package|cannot load such file --)\s*["'`]?(?<name>[@\w][\w./:@-]*)/gu;

export function listDependencies(scope: ContextScope): Finding {
  const { place, request, files } = scope;
  const nearest = MANIFESTS.split(' ').map((name) => files.findNearest(place?.file ?? 'x', name));
  const manifests = nearest.filter((name) => name !== undefined);
  const missing = extractNames(request.errorText, MISSING_PACKAGE);
  const imported = place === null ? [] : extractNames(place.lines.join('\n'), IMPORT);
  const rows = [...new Set([...missing, ...imported])].flatMap((name) => {
    const found = findDeclaration(scope, name, manifests);
    if (found !== undefined || !missing.includes(name)) return found ?? [];
    const where = manifests.join(', ') || 'any manifest';
    scope.evidence.push({ weight: 9, text: `${name} is imported but not declared in ${where}` });
    return `${name}: not declared in ${where}`;
  });
  if (rows.length === 0) {
    const why = place === null ? 'The location of the error is unknown, and the error names no package.' : undefined;
    return { why_not: why ?? `${place?.file} imports no dependency of the project.` };
  }
  const source = [...(imported.length > 0 ? [`imports of ${place?.file}`] : []), ...manifests];
  return { answer: [...new Set(rows)].slice(0, MAX_SHOWN).join('\n'), source: source.join(', ') };
}

function extractNames(text: string, pattern: RegExp): string[] {
  const names = [...text.matchAll(pattern)].map(({ groups }) => groups?.quoted ?? groups?.name ?? '');
  return [...new Set(names)].filter((name) => /^[@\w]/u.test(name) && !/^(?:node|bun|https?):/u.test(name));
}

/**
 * Returns the line of a manifest that contains the longest prefix of a name: `@a/b` for `@a/b/c`, `serde` for
 * `serde::de`.
 */
function findDeclaration({ files }: ContextScope, name: string, manifests: readonly string[]): string | undefined {
  const parts = name.split(/(?=[/.]|::)/u);
  for (let length = parts.length; length > 0; length--) {
    const prefix = parts.slice(0, length).join('');
    const token = new RegExp(`(?<![\\w@/.-])${escapeRegExp(prefix).replaceAll(/[_-]/gu, '[_-]')}(?![\\w/-])`, 'iu');
    for (const manifest of prefix.length < 3 ? [] : manifests) {
      const lines = (files.readText(manifest) ?? '').split('\n');
      const at = lines.findIndex((line) => token.test(line));
      const text = lines[at]?.slice(lines[at].search(token)).slice(0, MAX_LINE_CHARACTERS).trim();
      if (text !== undefined) return `${prefix}: ${manifest}:${at + 1}: ${text}`;
    }
  }
  return undefined;
}
