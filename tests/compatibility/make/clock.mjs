// Preloaded into the program with `--import`. The program then reads the time from a file, so that the played history spans
// months. Processes that the program starts keep the real time.
import { readFileSync } from 'node:fs';

const file = process.env.COMPATIBILITY_CLOCK;

if (file !== undefined && process.argv[1]?.endsWith('cli.mjs')) {
  const RealDate = Date;
  const now = () => Number(readFileSync(file, 'utf8'));
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      super(...(parts.length === 0 ? [now()] : parts));
    }
    static now() {
      return now();
    }
  };
}
