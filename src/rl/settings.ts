/**
 * The part of an experiment that the trainer reads, by shape. The document, its schema and its defaults are in
 * `experiment/`.
 */
import type { WorldOptions } from '../envs/env.ts';
import type { AnyAlgorithmSettings } from './algorithms/registry.ts';
import type { BranchPlace } from './episode/branching.ts';
import type { ContextForm } from './episode/window.ts';
import type { OverflowRule } from './evaluation/suite-results.ts';
import type { GoalsSettings } from './goals/registry.ts';
import type { RewardSettings } from './rewards/registry.ts';
import type { HorizonStage, TurnLimit } from './schedule/horizon.ts';

export interface TrainerSettings {
  seed: number;
  steps: number;
  worlds: readonly {
    name: string;
    weight: number;
    options: WorldOptions;
    evaluated?: boolean;
    /** Limit of this world; null or absent: the horizon's. */
    turns?: TurnLimit | null;
  }[];
  /** Settings of a module of `algorithms/`: its own fields beside the common ones. */
  algorithm: AnyAlgorithmSettings;
  /** Absent: the world's score. */
  reward?: RewardSettings;
  /** Absent: tasks come in shuffled epochs. */
  goals?: GoalsSettings;
  /** Stages before the run's own algorithm, each for its number of steps. */
  stages?: readonly TrainingStage[];
  horizon: readonly HorizonStage[];
  sampling: {
    temperature: number;
    maskActions: boolean;
    maxTokensPerTurn: number /** Absent: 0. */;
    thoughts?: number;
    /** Absent: all. */
    context?: ContextForm;
    /** Maximum number of earlier turns in a window. */
    contextTurns?: number;
    /** Maximum number of tokens of a summary. */
    summaryTokens?: number;
    /** Episodes of a group that branch off others of it; absent: 0. */
    branchedEpisodes?: number;
    /** Absent: entropy. */
    branchAt?: BranchPlace;
  };
  optimizer: OptimizerSchedule;
  evaluation: {
    episodes: number;
    /** Steps between measurements of the gradient's signal; 0 or absent: never. */
    signalEvery?: number;
    /** Absent: left out. */
    overflow?: OverflowRule;
  };
}

/** Part of a run with its own algorithm, before the run's. */
interface TrainingStage {
  steps: number;
  algorithm: AnyAlgorithmSettings;
  /** Learning rate; null: the run's. */
  learningRate: number | null;
}

/** Settings of a step, and its place among the steps that share a learning-rate schedule. */
export interface StageSettings extends TrainerSettings {
  step: number;
}

/** Stage of step `k`, from 1. The run's own algorithm follows after all stages. */
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
