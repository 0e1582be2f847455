/**
 * Reads the environment of a .NET project. MSBuild is not evaluated, so imports, conditions and nested properties are
 * not followed.
 */

import { at, type Finding, known, parsed, type Texts, text } from './facts.ts';

/** The languages of project files by file ending. */
export const PROJECTS: Readonly<Record<string, string>> = {
  '.csproj': 'csharp',
  '.fsproj': 'fsharp',
  '.vbproj': 'visualbasic',
};

const FRAMEWORKS: readonly { name: string; pattern: RegExp }[] = [
  { name: 'maui', pattern: /<UseMaui>\s*true/iu },
  { name: 'blazor', pattern: /Sdk="Microsoft\.NET\.Sdk\.BlazorWebAssembly/iu },
  { name: 'aspnet', pattern: /Sdk="Microsoft\.NET\.Sdk\.Web|Include="Microsoft\.AspNetCore\.App"/iu },
  { name: 'wpf', pattern: /<UseWPF>\s*true/iu },
  { name: 'winforms', pattern: /<UseWindowsForms>\s*true/iu },
];

export function dotnetFacts(files: Texts): Finding | undefined {
  const names = Object.keys(files).filter((name) => languageOf(name) !== undefined);
  const settings = files['global.json'];
  if (names.length === 0 && settings === undefined) return undefined;
  const [first] = names;
  const build = [...names, 'Directory.Build.props'].map((name) => uncommented(files[name])).join('\n');
  const version = targetOf(build) ?? text(at(parsed(JSON.parse, settings), 'sdk', 'version'))?.split('.')[0];
  const framework = FRAMEWORKS.find(({ pattern }) => pattern.test(build))?.name;
  const facts = known({
    language: (first && languageOf(first)) ?? 'csharp',
    // The version of .NET, because it determines the version of C# and is in common use ("C# on .NET 8").
    language_major: version,
    framework,
    framework_major: framework && version,
  });
  return { facts, sure: names.length > 0 };
}

function languageOf(name: string): string | undefined {
  return PROJECTS[name.slice(name.lastIndexOf('.'))];
}

function uncommented(xml = ''): string {
  return xml.replaceAll(/<!--[\s\S]*?-->/gu, '');
}

/**
 * The major version of `net8.0`, `net8.0-windows` or `netcoreapp3.1`, the first of several targets. `net48` is .NET 4.
 */
function targetOf(build: string): string | undefined {
  const target = /<TargetFrameworks?>\s*([^<;]+)/u.exec(build)?.[1]?.trim() ?? '';
  return /^net(?:coreapp)?(\d+)\./u.exec(target)?.[1] ?? /^net(\d)\d{1,2}$/u.exec(target)?.[1];
}
