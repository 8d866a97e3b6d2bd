/**
 * The place whose numbers appear in the formulas: one token of one turn, episode, group and step. A pure function of
 * the page's state; unknown parts are null.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import { readPath } from '../../experiment/paths.ts';
import type { AnyAlgorithmSettings } from '../../rl/algorithms/registry.ts';
import type { Source } from '../../rl/common/formula.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { ExaminedEpisode } from '../../rl/examine.ts';
import { trainingStageAt } from '../../rl/settings.ts';
import type { StepInspection, StepRecord } from '../../session/protocol.ts';
import { groupStatistics, type TokenFacts, tokenFacts, trainedRow } from './episodes.ts';
import { shownStep } from './focus.ts';
import type { State } from './state.ts';

export interface Place {
  experiment: Experiment | null;
  settings: AnyAlgorithmSettings | null;
  step: number | null;
  record: StepRecord | null;
  /** Episodes of the step; empty if they are not loaded or not kept. */
  all: readonly Trajectory[];
  members: readonly Trajectory[];
  trajectory: Trajectory | null;
  turn: number;
  token: number | null;
  facts: TokenFacts | null;
  /** Index among the trained tokens. */
  row: number | null;
  inspection: StepInspection | null;
  examined: ExaminedEpisode | null;
}

export function placeOf(state: State): Place {
  const experiment = state.run?.experiment ?? state.draft;
  const step = shownStep(state);
  const { selection, detail, inspection } = state;
  const all = detail.state === 'ready' && detail.value.step === step ? detail.value.trajectories : [];
  const members = all.filter(({ group }) => group === selection.group);
  const trajectory = members.find(({ member }) => member === selection.member) ?? members[0] ?? null;
  const token =
    trajectory && selection.token !== null && selection.token < trajectory.tokens.length ? selection.token : null;
  const known = inspection.state === 'ready' && inspection.value?.step === step ? inspection.value : null;
  return {
    experiment,
    settings: experiment && (trainingStageAt(experiment, Math.max(1, step ?? 1)).algorithm as AnyAlgorithmSettings),
    step,
    record: state.records.find((record) => record.step === step) ?? null,
    all,
    members,
    trajectory,
    turn: selection.turn,
    token,
    facts: trajectory && token !== null ? tokenFacts(trajectory, token) : null,
    row: trajectory && token !== null ? (trainedRow(trajectory, token) ?? null) : null,
    inspection: known,
    examined:
      known?.episodes.find(({ group, member }) => group === trajectory?.group && member === trajectory.member) ?? null,
  };
}

type Reading = (place: Place, name: string) => number | null | undefined;

const examinedAt =
  (read: (episode: ExaminedEpisode, row: number) => number | undefined) =>
  ({ examined, row }: Place) =>
    examined && row !== null ? read(examined, row) : null;

const tokenReadings: { readonly [name: string]: (place: Place) => number | null | undefined } = {
  context: ({ token }) => token,
  probability: ({ facts }) => (facts?.logprob === undefined || facts.logprob === null ? null : Math.exp(facts.logprob)),
  logprob: ({ facts }) => facts?.logprob,
  allowed: ({ facts }) => (facts?.forced ? 1 : facts?.allowed?.length),
  advantage: ({ facts, examined, row }) =>
    facts?.advantage ?? (examined && row !== null ? examined.advantage[row] : null),
  before: examinedAt(({ before }, row) => before[row]),
  now: examinedAt(({ after }, row) => Math.exp(after[row])),
  was: examinedAt(({ before }, row) => Math.exp(before[row])),
  after: examinedAt(({ after }, row) => after[row]),
  ratio: examinedAt(({ before, after }, row) => Math.exp(after[row] - before[row])),
  weight: examinedAt(({ weight }, row) => weight[row]),
};

const groupReadings: { readonly [name: string]: (members: readonly Trajectory[], own: Trajectory) => number } = {
  mean: (members) => groupStatistics(members).mean,
  std: (members) => groupStatistics(members).std,
  size: (members) => members.length,
  others: (members, own) => groupStatistics(members.filter((each) => each !== own)).mean,
};

const norm = (inspection: StepInspection | null, part: 'norm' | 'change') =>
  inspection && Math.sqrt(inspection.weights.reduce((sum, each) => sum + each[part] ** 2, 0));

const episodeReadings: { readonly [name: string]: (trajectory: Trajectory) => number } = {
  return: ({ score }) => score,
  advantage: ({ advantage }) => advantage,
  lastReward: ({ turns }) => turns.at(-1)?.reward ?? 0,
  tokens: ({ advantages }) => advantages.length,
};

const asNumber = (value: unknown) => (typeof value === 'number' ? value : null);

/** Reading of each kind of source; the kind is the part before the first dot. */
const readings: { readonly [kind: string]: Reading } = {
  token: (place, name) => (tokenReadings[name] ?? examinedAt(({ columns }, row) => columns[name]?.[row]))(place),
  episode: ({ trajectory }, name) => trajectory && episodeReadings[name]?.(trajectory),
  group: ({ members, trajectory }, name) => trajectory && groupReadings[name]?.(members, trajectory),
  metric: ({ record }, name) => record?.metrics[name],
  weights: ({ inspection }, name) => norm(inspection, name as 'norm' | 'change'),
  setting: ({ settings }, name) => asNumber(readPath(settings, name)),
  experiment: ({ experiment }, name) => asNumber(readPath(experiment, name)),
};

/** Number of a source at a place; null if unknown there. */
export function readSource(place: Place, source: Source): number | null {
  const [kind, ...rest] = source.split('.');
  const value = readings[kind]?.(place, rest.join('.'));
  return value === undefined || value === null || !Number.isFinite(value) ? null : value;
}
