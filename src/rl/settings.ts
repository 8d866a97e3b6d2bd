/** What the trainer reads of an experiment, by shape: `rl/` does not know the document, its schema or its defaults. */
import type { WorldOptions } from '../envs/env.ts';
import type { AnyAlgorithmSettings } from './algorithms/registry.ts';
import type { HorizonStage } from './schedule/horizon.ts';

export interface TrainerSettings {
  seed: number;
  steps: number;
  worlds: readonly { name: string; weight: number; options: WorldOptions; evaluated?: boolean }[];
  /** Of a module of `algorithms/`, with its own fields beside those that all have. */
  algorithm: AnyAlgorithmSettings;
  /** Come first, each for its steps. */
  stages?: readonly TrainingStage[];
  horizon: readonly HorizonStage[];
  sampling: {
    temperature: number;
    maskActions: boolean;
    maxTokensPerTurn: number /** Absent: 0. */;
    thoughts?: number;
  };
  optimizer: OptimizerSchedule;
  evaluation: { episodes: number };
}

/** A part of a run with an algorithm of its own, before the run's. */
export interface TrainingStage {
  steps: number;
  algorithm: AnyAlgorithmSettings;
  /** null: the run's. */
  learningRate: number | null;
}

/** The settings that hold at a step, and where the step stands among those that share a learning-rate schedule. */
export interface StageSettings extends TrainerSettings {
  step: number;
}

/** The stage of step `k`, from 1: the run's own algorithm comes after all stages. */
export function trainingStageAt(settings: TrainerSettings, k: number): StageSettings {
  const { stages = [], optimizer } = settings;
  let before = 0;
  for (const { steps, algorithm, learningRate } of stages) {
    if (k <= before + steps) {
      const schedule = { ...optimizer, learningRate: learningRate ?? optimizer.learningRate };
      return { ...settings, algorithm, optimizer: schedule, step: k - before, steps };
    }
    before += steps;
  }
  return { ...settings, step: k - before, steps: settings.steps - before };
}

export interface OptimizerSchedule {
  learningRate: number;
  warmupSteps: number;
  finalFraction: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay: number;
  maxGradNorm: number | null;
}
