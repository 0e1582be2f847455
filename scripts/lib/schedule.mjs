// Runs steps in parallel lanes. Within a lane, the steps run one after another, in order. A step also waits for the
// steps in its `after`, which may be in any lane. If such a step failed, the step is left out.

/**
 * @param steps `{ name, lane, after? }`, in order; `after` has names of earlier steps
 * @param perform resolves to true if the step succeeded
 * @returns the names of the steps that were left out
 */
export async function runInLanes(steps, perform) {
  const ended = new Map();
  const lanes = new Map();
  const left = [];
  for (const step of steps) {
    const before = [lanes.get(step.lane), ...(step.after ?? []).map((name) => waitForStep(name, ended))];
    const work = Promise.all(before).then(async ([, ...needed]) => {
      if (needed.every(Boolean)) return perform(step);
      left.push(step.name);
      return false;
    });
    ended.set(step.name, work);
    lanes.set(step.lane, work);
  }
  await Promise.all(ended.values());
  return left;
}

function waitForStep(name, ended) {
  const work = ended.get(name);
  if (work === undefined) throw new Error(`no earlier step is called ${name}`);
  return work;
}
