/** Reads the composite action of this repository and its script. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readYaml } from '../../../packages/mcp/src/system/files/yaml.ts';

export const TOP = fileURLToPath(new URL('../../../', import.meta.url));
export const read = (file: string) => readFileSync(path.join(TOP, file), 'utf8');

const Action = z.object({
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
export const text = read('.github/actions/argus/action.yml');
export const parse = async (yaml: string) => (await readYaml(yaml)).value;
export const whole = z.record(z.string(), z.unknown()).parse(await parse(text));
export const action = Action.parse(whole);
export const script = action.runs.steps.find(({ run }) => run !== undefined);
