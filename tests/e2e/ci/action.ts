/** Reads the composite action of this repository and its script. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseYaml } from '../../../packages/mcp/src/system/files/yaml.ts';

export const REPOSITORY_ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const readRepositoryFile = (file: string) => readFileSync(path.join(REPOSITORY_ROOT, file), 'utf8');

const ActionSchema = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string().optional() })),
  runs: z.object({
    steps: z.array(
      z.object({
        if: z.string().optional(),
        uses: z.string().optional(),
        run: z.string().optional(),
        shell: z.string().optional(),
        env: z.record(z.string(), z.string()).default({}),
      }),
    ),
  }),
});
export const actionText = readRepositoryFile('.github/actions/argus/action.yml');
export const parseYamlValue = async (yaml: string) => (await parseYaml(yaml)).value;
export const wholeAction = z.record(z.string(), z.unknown()).parse(await parseYamlValue(actionText));
export const compositeAction = ActionSchema.parse(wholeAction);
export const actionScript = compositeAction.runs.steps.find(({ run }) => run !== undefined);
