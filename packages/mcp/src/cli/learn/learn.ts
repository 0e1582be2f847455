/** learn: fills a memory from what is there already. Options: learn-program.ts. */

import { formatLearned, type Learned } from '../../format/learned-text.ts';
import { adoptsInCi } from '../recorder.ts';
import { cancelledBySignals } from '../terminal/cancel.ts';
import { EXIT } from '../terminal/exit.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';
import { learnFromCi } from './from-ci.ts';

export interface LearnOptions extends GlobalOptions {
  fromCi: string;
}

export async function learn(options: LearnOptions): Promise<void> {
  const signal = cancelledBySignals(EXIT.error);
  await answer<Learned>(
    options,
    async ({ session }) => ({ fromCi: await learnFromCi(session, options.fromCi, signal) }),
    formatLearned,
    { exitCode: ({ fromCi }) => (fromCi?.cancelled ? EXIT.error : EXIT.done), adopts: adoptsInCi() },
  );
}
