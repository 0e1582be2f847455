/** Tests the single instance of the engine, and calls that a log function makes during another call. */
import { expect, test } from 'vitest';
import { FixLoop } from '../src/fix-loop.ts';
import { NodePlatform } from '../src/node/platform.ts';
import { Runtime } from '../src/runtime.ts';

test('passes all lines to a log function that calls the engine', () => {
  const platform = new NodePlatform();
  const runtime = new Runtime(platform);
  const rules = new FixLoop(runtime, {});
  const heard: string[] = [];
  const log = (line: string) => void heard.push(rules.redact(line));
  runtime.call(log, () => {
    platform.log?.('the first');
    platform.log?.('the second');
  });
  expect(heard).toEqual(['the first', 'the second']);
  expect(platform.log).toBeUndefined();
});
