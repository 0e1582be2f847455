/** Every tool answers by the schema that `tools/list` publishes. */

import { test } from 'vitest';
import { agent } from '../one-agent.ts';
import { callEveryTool } from './every-tool.ts';

test('every tool answers by its schema', () => callEveryTool(agent));
