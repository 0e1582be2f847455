/**
 * The user's own configuration, `argus.yaml` in the platform's configuration folder. It contains settings that a
 * repository must not set, because they could start any program. `load.ts` reads the project's configuration.
 */

import path from 'node:path';
import { z } from 'zod';
import { ArgusError, getErrorMessage, getSystemCode } from '../errors.ts';
import { resolveExistingPart } from '../owner/data-folder.ts';
import type { Project } from '../owner/project.ts';
import { belongsToOtherUser, isWithin, tryLstat } from '../system/files/path-safety.ts';
import { readText } from '../system/files/read.ts';
import { getUserFolder } from '../system/files/user-folder.ts';
import { parseYaml } from '../system/files/yaml.ts';

/** The file has a few lines, so a larger file is probably not a configuration. */
const MAX_BYTES = 1024 * 1024;

const createUserConfigSchema = () =>
  z.strictObject({
    version: z.literal(1).optional(),
    fix: z.strictObject({ agent: z.string().trim().min(1).optional() }).optional(),
  });

export type UserConfig = z.infer<ReturnType<typeof createUserConfigSchema>>;

/**
 * Returns the user's configuration, or an empty configuration if there is none. Ignores a file in the project or of
 * another user, because the user did not write that file.
 */
export async function loadUserConfig({ top, home }: Project): Promise<UserConfig> {
  const file = getUserConfigPath();
  if (file === undefined) return {};
  const real = resolveExistingPart(file);
  if ([top, home].some((folder) => isWithin(real, folder))) return {};
  const stats = tryLstat(real);
  if (stats === undefined || belongsToOtherUser(stats)) return {};
  try {
    const { value } = await parseYaml(readText(real, { maxBytes: MAX_BYTES, links: 'refused' }));
    return createUserConfigSchema().parse(value);
  } catch (thrown) {
    if (getSystemCode(thrown) === 'ENOENT') return {};
    const reason =
      thrown instanceof z.ZodError
        ? thrown.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`).join('; ')
        : getErrorMessage(thrown);
    throw new ArgusError('CONFIG_INVALID', `${file}: ${reason}. It can only contain fix.agent.`, { cause: thrown });
  }
}

/** Returns undefined if the account has no configuration folder. */
function getUserConfigPath(): string | undefined {
  try {
    const folder = getUserFolder('config');
    return path.isAbsolute(folder) ? path.join(folder, 'argus.yaml') : undefined;
  } catch {
    return undefined;
  }
}
