/**
 * Detects the environment of a .NET project. MSBuild is not evaluated, so imports, conditions and nested properties are
 * not followed.
 */

import { asString, type EcosystemFinding, type FileTexts, getNested, removeUndefined, tryParse } from './facts.ts';

/** Languages of project files, by file ending. */
export const LANGUAGE_BY_ENDING: Readonly<Record<string, string>> = {
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

export function detectDotnet(files: FileTexts): EcosystemFinding | undefined {
  const names = Object.keys(files).filter((name) => getLanguage(name) !== undefined);
  const settings = files['global.json'];
  if (names.length === 0 && settings === undefined) return undefined;
  const [first] = names;
  const build = [...names, 'Directory.Build.props'].map((name) => removeXmlComments(files[name])).join('\n');
  const version =
    parseTargetMajor(build) ?? asString(getNested(tryParse(JSON.parse, settings), 'sdk', 'version'))?.split('.')[0];
  const framework = FRAMEWORKS.find(({ pattern }) => pattern.test(build))?.name;
  const facts = removeUndefined({
    language: (first && getLanguage(first)) ?? 'csharp',
    // The version of .NET, because it determines the version of C# and is what people name ("C# on .NET 8").
    language_major: version,
    framework,
    framework_major: framework && version,
  });
  return { facts, isCertain: names.length > 0 };
}

function getLanguage(name: string): string | undefined {
  return LANGUAGE_BY_ENDING[name.slice(name.lastIndexOf('.'))];
}

function removeXmlComments(xml = ''): string {
  return xml.replaceAll(/<!--[\s\S]*?-->/gu, '');
}

/**
 * Returns the major version of the first target framework: 8 for `net8.0` and `net8.0-windows`, 3 for `netcoreapp3.1`,
 * 4 for `net48`.
 */
function parseTargetMajor(build: string): string | undefined {
  const target = /<TargetFrameworks?>\s*([^<;]+)/u.exec(build)?.[1]?.trim() ?? '';
  return /^net(?:coreapp)?(\d+)\./u.exec(target)?.[1] ?? /^net(\d)\d{1,2}$/u.exec(target)?.[1];
}
