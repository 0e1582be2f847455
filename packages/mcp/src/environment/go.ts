/** Reads the environment of a Go project from go.mod. `replace` and workspaces are not followed. */

import { escaped, type Finding, known, major, type Texts } from './facts.ts';

const FRAMEWORKS: readonly { module: string; name: string }[] = [
  { module: 'github.com/gin-gonic/gin', name: 'gin' },
  { module: 'github.com/labstack/echo', name: 'echo' },
  { module: 'github.com/gofiber/fiber', name: 'fiber' },
  { module: 'github.com/go-chi/chi', name: 'chi' },
  { module: 'github.com/beego/beego', name: 'beego' },
  { module: 'go.uber.org/fx', name: 'fx' },
];

export function goFacts({ 'go.mod': manifest }: Texts): Finding | undefined {
  if (manifest === undefined) return undefined;
  const required = (module: string) =>
    new RegExp(`^\\s*(?:require\\s+)?${escaped(module)}(?:/v\\d+)?\\s+(v\\S+)`, 'mu').exec(manifest)?.[1];
  const framework = FRAMEWORKS.find(({ module }) => required(module) !== undefined);
  const facts = known({
    language: 'go',
    language_major: major(/^go\s+(\S+)/mu.exec(manifest)?.[1]),
    framework: framework?.name,
    framework_major: framework && major(required(framework.module)),
  });
  return { facts, sure: true };
}
