/** Derived numbers of a comparison of methods on one batch: shares, rows of its tables, CSV. Pure. */

import { csvTable } from '../../fields/csv.ts';
import type { ComparedEpisode, ComparedObjective } from '../../rl/compare-objectives.ts';

/** How a batch is divided: by episodes, by turns, or by the tokens of one episode. */
export const divisions = ['episode', 'turn', 'token'] as const;
export type Division = (typeof divisions)[number];

/** A part of the batch and each method's share of the weight in it, with the sign of the pull: above 0 is up. */
export interface ShareRow {
  label: string;
  /** One number a method; null: the method has none. */
  shares: (number | null)[];
  /** Clips of the part's tokens by method, of a token only: -1, 0 or 1. */
  clips: (number | null)[];
}

/** Place of an episode, as a key. */
const episodeKey = ({ group, member }: Pick<ComparedEpisode, 'group' | 'member'>) => `${group}/${member}`;

const total = ({ episodes }: ComparedObjective) => episodes.reduce((sum, { weight }) => sum + weight, 0);

/** Weight and pull of some tokens. A weight below 0 raises the token's probability. */
const pullOf = (weights: Iterable<number>) => {
  let [size, up] = [0, 0];
  for (const weight of weights) {
    size += Math.abs(weight);
    up -= weight;
  }
  return { size, sign: up < 0 ? -1 : 1 };
};

function sharesOf(
  objectives: readonly ComparedObjective[],
  weightsOf: (objective: ComparedObjective) => number[] | null,
): (number | null)[] {
  return objectives.map((objective) => {
    const whole = total(objective);
    const weights = objective.without ? null : weightsOf(objective);
    if (!weights || !whole) return objective.without ? null : weights && 0;
    const { size, sign } = pullOf(weights);
    return (sign * size) / whole;
  });
}

const episodesOf = (objectives: readonly ComparedObjective[]) => {
  const found = new Map<string, { group: number; member: number }>();
  for (const { episodes } of objectives) for (const each of episodes) found.set(episodeKey(each), each);
  return [...found].sort(([, a], [, b]) => a.group - b.group || a.member - b.member);
};

const find = ({ episodes }: ComparedObjective, key: string) => episodes.find((each) => episodeKey(each) === key);
const noClips = (objectives: readonly ComparedObjective[]) => objectives.map(() => null);

/** Words of the rows: the page passes them in its language. */
interface ShareTexts {
  episode(group: number, member: number): string;
  turn(turn: number): string;
  /** Text of the k-th trained token of the episode. */
  token(k: number): string;
}

function byEpisode(objectives: readonly ComparedObjective[], { episode }: ShareTexts): ShareRow[] {
  return episodesOf(objectives).map(([key, { group, member }]) => ({
    label: episode(group + 1, member + 1),
    shares: sharesOf(objectives, (each) => [...(find(each, key)?.tokens.weight ?? [])]),
    clips: noClips(objectives),
  }));
}

function byTurn(objectives: readonly ComparedObjective[], { turn: words }: ShareTexts): ShareRow[] {
  const last = Math.max(
    -1,
    ...objectives.flatMap(({ episodes }) => episodes.map(({ tokens }) => Math.max(-1, ...tokens.turn))),
  );
  return Array.from({ length: last + 1 }, (_, turn) => ({
    label: words(turn + 1),
    shares: sharesOf(objectives, ({ episodes }) =>
      episodes.flatMap(({ tokens }) => [...tokens.weight].filter((_weight, k) => tokens.turn[k] === turn)),
    ),
    clips: noClips(objectives),
  }));
}

/** Rows of one episode's tokens. A method that does not train on the episode has 0 there. */
function byToken(objectives: readonly ComparedObjective[], key: string, { token }: ShareTexts): ShareRow[] {
  const count = Math.max(0, ...objectives.map((each) => find(each, key)?.tokens.weight.length ?? 0));
  return Array.from({ length: count }, (_, k) => ({
    label: token(k),
    shares: sharesOf(objectives, (each) => [find(each, key)?.tokens.weight[k] ?? 0]),
    clips: objectives.map((each) => (each.without ? null : (find(each, key)?.tokens.clipped[k] ?? 0))),
  }));
}

/** Share of each part of the batch in each method's weight. `key`: the episode of a division by tokens. */
export function shareRows(
  objectives: readonly ComparedObjective[],
  division: Division,
  key: string,
  texts: ShareTexts,
): ShareRow[] {
  if (division === 'episode') return byEpisode(objectives, texts);
  return division === 'turn' ? byTurn(objectives, texts) : byToken(objectives, key, texts);
}

/** Keys of the episodes that some method trains on. */
export const trainedEpisodes = (objectives: readonly ComparedObjective[]): string[] =>
  episodesOf(objectives).map(([key]) => key);

/** All numbers as CSV, one line a method and token, after a line a method of its sums. */
export function comparisonCsv(objectives: readonly ComparedObjective[]): string {
  const head = [
    'method',
    'group',
    'episode',
    'token',
    'turn',
    'advantage',
    'logprob',
    'old_logprob',
    'ratio',
    'weight',
    'clipped',
  ];
  const sums = [
    'method',
    'tokens',
    'mean_ratio',
    'clipped_share',
    'gradient_norm',
    ...objectives.map(({ name }) => `cosine_${name}`),
  ];
  const methods = objectives.map(({ name, tokens, ratio, clipped, norm, cosines, without }) =>
    without ? [name] : [name, tokens, ratio, clipped, norm ?? '', ...cosines.map((cosine) => cosine ?? '')],
  );
  const lines: (string | number)[][] = [];
  for (const { name, episodes } of objectives)
    for (const { group, member, tokens } of episodes)
      tokens.weight.forEach((weight, k) => {
        const [now, old] = [tokens.logprob[k], tokens.old[k]];
        const place = [name, group + 1, member + 1, k, tokens.turn[k] + 1];
        lines.push([...place, tokens.advantage[k], now, old, Math.exp(now - old), weight, tokens.clipped[k]]);
      });
  return `${csvTable({ head: sums, rows: methods })}\n${csvTable({ head, rows: lines })}`;
}
