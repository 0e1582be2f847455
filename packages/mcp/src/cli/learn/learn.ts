/** learn: fills a memory from existing commits and reports. The options are in learn-program.ts. */

import { formatLearned, type Learned } from '../../format/memory/learned-text.ts';
import { adoptsInCi } from '../recorder.ts';
import { cancelledBySignals } from '../terminal/cancel.ts';
import { EXIT } from '../terminal/exit.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';
import { learnFromCi } from './from-ci.ts';
import { learnFromGit } from './from-git.ts';

export interface LearnOptions extends GlobalOptions {
  fromGit?: number;
  fromCi?: string;
}

export async function learn(options: LearnOptions): Promise<void> {
  const { fromGit, fromCi } = options;
  const signal = cancelledBySignals(EXIT.error);
  await answer<Learned>(
    options,
    async ({ session }) => {
      const ofCi = fromCi === undefined ? undefined : await learnFromCi(session, fromCi, signal);
      const isDone = fromGit === undefined || ofCi?.cancelled === true;
      const ofGit = isDone ? undefined : await learnFromGit(session, fromGit, signal);
      return { ...(ofCi && { fromCi: ofCi }), ...(ofGit && { fromGit: ofGit }) };
    },
    formatLearned,
    {
      exitCode: (learned) => (learned.fromCi?.cancelled || learned.fromGit?.cancelled ? EXIT.error : EXIT.done),
      adopts: adoptsInCi(),
    },
  );
}
