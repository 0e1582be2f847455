/** The command that starts Argus. Until the package is published, it is the name of an installed program. */

import release from '../../mcp/release.json';

export const ARGUS_COMMAND = release.published ? 'npx argus-mcp' : 'argus';
