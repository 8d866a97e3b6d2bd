/** Reports on the command line that a run has left the band of its preset. */
import { bandFor } from '../experiment/bands.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { leftBand } from '../rl/evaluation/band.ts';
import type { StepRecord } from '../rl/evaluation/evaluation.ts';

/**
 * Receives each step of a run, and prints one line when its success leaves the band of its preset. `before`: the
 * records so far, read only if there is a band.
 */
export async function bandLine(
  experiment: Experiment,
  before: () => Promise<readonly StepRecord[]>,
  print: (line: string) => void,
): Promise<(record: StepRecord) => void> {
  const band = await bandFor(experiment);
  if (!band) return () => {};
  const records = [...(await before())];
  let printed = leftBand(band, records) !== null;
  return (record) => {
    records.push(record);
    const left = !printed && leftBand(band, records);
    if (!left) return;
    printed = true;
    const { side, from, to, success, low, high } = left;
    print(
      `warning: success in steps ${from} to ${to} is ${success.toFixed(3)}, ${side} the ${low.toFixed(3)} to ${high.toFixed(3)} ` +
        `expected by ${band.seeds.length} runs of this preset with other seeds`,
    );
  };
}
