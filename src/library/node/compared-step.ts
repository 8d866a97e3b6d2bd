/** One kept step of a run's file on Node: its episodes under every algorithm, with the weights beside it. */
import { parseExperiment } from '../../experiment/experiment.ts';
import type { ComparedObjective } from '../../rl/compare-objectives.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import { trainingStageAt } from '../../rl/settings.ts';
import { decodeState, REFERENCE } from '../../session/checkpoint.ts';
import { decodeTrajectories } from '../../session/run/trajectory-codec.ts';
import { readRunFile } from '../../session/run-file.ts';
import { tokenTextsOf } from '../../session/text/token-texts.ts';
import { type EnginesOptions, nodeEngines } from './engines.ts';

/** The run does not have what a comparison needs. */
class NoStepError extends Error {
  override name = 'NoStepError';
}

export interface ComparedStep {
  step: number;
  /** Step after which its weights were kept. */
  weights: number;
  trajectories: Trajectory[];
  experiment: ReturnType<typeof parseExperiment>;
  records: readonly StepRecord[];
  /** Display text of each token id. */
  texts: string[];
  /** Name of the algorithm that trained the step. */
  own: string;
  objectives: ComparedObjective[];
}

type RunFile = ReturnType<typeof readRunFile>;

/** Weights of a step: those after it, if they are kept. There the ratios differ from 1, as in a second pass. */
function stepOf(file: string, run: RunFile, asked: number | undefined) {
  const kept = (run.checkpoints ?? []).map(({ meta }) => meta.step);
  const possible = [...(run.trajectories?.keys() ?? [])].filter(
    (each) => kept.includes(each) || kept.includes(each - 1),
  );
  if (!possible.length) throw new NoStepError(`${file} keeps no step with both episodes and weights.`);
  const step = asked ?? Math.max(...possible);
  const checkpoint = run.checkpoints?.find(({ meta }) => meta.step === (kept.includes(step) ? step : step - 1));
  const bytes = run.trajectories?.get(step);
  if (!checkpoint || !bytes)
    throw new NoStepError(`Step ${step} has no episodes with weights beside it. These have: ${possible.join(', ')}.`);
  return { step, checkpoint, trajectories: decodeTrajectories(bytes) };
}

/** `names`: the algorithms, given the one of the step. `step`: undefined, the last possible one. */
export async function compareStep(
  bytes: Uint8Array,
  file: string,
  { step: asked, names, ...machine }: EnginesOptions & { step?: number; names(own: string): readonly string[] },
): Promise<ComparedStep> {
  const run = readRunFile(bytes, file);
  const { step, checkpoint, trajectories } = stepOf(file, run, asked);
  const experiment = parseExperiment(run.experiment);
  const { signal } = new AbortController();
  const opening = { assets: run.assets ?? {}, choices: checkpoint.meta, purpose: 'train', signal } as const;
  const engine = await nodeEngines(machine).open(experiment, { ...opening, onProgress: () => {} });
  try {
    const stored = run.assets?.[REFERENCE];
    const reference = stored ? decodeState(stored, 0) : null;
    if (reference) await engine.load(reference, { reference: true });
    const now = decodeState(checkpoint.bytes, checkpoint.meta.optimizerStep);
    await engine.load(now);
    if (!engine.training?.compare) throw new NoStepError('This policy does not train.');
    const own = trainingStageAt(experiment, step).algorithm.name;
    const choices = names(own).map((name) => ({ name }));
    const objectives = await engine.training.compare(step, trajectories, choices, { now, reference });
    const tokenizer = run.assets?.['tokenizer.json'];
    const texts = tokenizer ? tokenTextsOf(tokenizer) : [];
    const { records } = run;
    return { step, weights: checkpoint.meta.step, trajectories, experiment, records, texts, own, objectives };
  } finally {
    await engine.close();
  }
}
