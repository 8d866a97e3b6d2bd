/**
 * A trainer that answers late, to find races in the page and in its tests: with `TABGYM_LATE=300` the tests set the
 * longest delay in milliseconds as `tabgymLate` on the page. Never part of the shipped page.
 */
import type { TrainerApi } from '../../session/protocol.ts';

/** Methods that read: their answers come in any order. */
const reads = new Set<PropertyKey>([
  ...['presets', 'listRuns', 'records', 'plan', 'storage', 'keptModels', 'gpuReport', 'evaluations', 'findModel'],
  ...['stepDetail', 'trajectorySteps', 'tokenTexts', 'replay', 'inspectStep', 'compareStep', 'alternatives', 'tries'],
]);

/** The trainer; if `tabgymLate` is set, its calls begin late, in their order, and answers of methods that read come later still. */
export function maybeLate(trainer: TrainerApi): TrainerApi {
  const longest = Number(Reflect.get(globalThis, 'tabgymLate') ?? 0);
  if (!longest) return trainer;
  const late = () => new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
  let begun: Promise<unknown> = Promise.resolve();
  return new Proxy(trainer, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || name === 'start') return method;
      return async (...given: unknown[]) => {
        begun = Promise.all([begun, late()]);
        await begun;
        const answer = await method.apply(target, given);
        if (reads.has(name)) await late();
        return answer;
      };
    },
  });
}
