/** Checks the answers of every tool against the schemas that `tools/list` publishes. */

import { test } from 'vitest';
import { agent } from '../one-agent.ts';
import { callEveryTool } from './every-tool.ts';

test('the answers of every tool match its schema', () => callEveryTool(agent));
