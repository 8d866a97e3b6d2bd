/**
 * BAPO: Balanced Policy Optimization with Adaptive Clipping (Xi et al. 2025, https://arxiv.org/abs/2510.18927). The
 * bounds of the clip are searched anew for every update from all its rows, so that good actions have their share of the
 * update.
 *
 * Two rules, which disagree. `paper`: Algorithm 1 and equation 8; the published sum of signs is `net`, the share that
 * the paper's text describes is `gross`. `code`: WooooDyy/BAPO@7287044 recipe/bapo/policy_loss.py, low first and then
 * high, from sums without probabilities. Decisions are discrete, so bounds are sums of steps, added one by one.
 */

import { exp } from '../../policy/elementary.ts';
import type { ObjectiveRows } from '../../policy/policy.ts';
import { clipTerm, ratioOf, type Surrogate } from './clipped.ts';
import { clamp } from './kl.ts';

export interface BapoSettings {
  rule: 'paper' | 'code';
  lowStart: number;
  lowMost: number;
  lowStep: number;
  highStart: number;
  highMost: number;
  highStep: number;
  /** rho_0 of the paper; in the code, the ratio of positive to negative sums. */
  target: number;
  denominator: 'gross' | 'net';
  /** Weights a token by its probability when sampled (equation 8). */
  weighted: boolean;
  /** Added to the code's sum of negative advantages; undefined: 1e-8, as in the code. */
  epsilon?: number;
  dualClip: number | null;
}

export interface BoundSearch {
  low: number;
  high: number;
  /** Low, high and the statistic at every evaluation; the last entry is the result. */
  trace: [number, number, number][];
}

/** Inputs of the search per row. */
interface BapoRow {
  ratio: number;
  advantage: number;
  probability: number;
}

const rowsOf = ({ count, logprob, columns: { oldLogprob, advantage } }: ObjectiveRows): BapoRow[] =>
  Array.from({ length: count }, (_, i) => ({
    ratio: ratioOf(logprob[i] - oldLogprob[i]).ratio,
    advantage: advantage[i],
    probability: exp(oldLogprob[i]),
  }));

/** Equation 8: share of the actions with a positive advantage in the clipped update. */
function paperStatistic(rows: readonly BapoRow[], low: number, high: number, settings: BapoSettings): number {
  let positive = 0;
  let all = 0;
  for (const { ratio, advantage, probability } of rows) {
    const weight = settings.weighted ? probability : 1;
    const clipped = (bound: number) => weight * Math.min(ratio * advantage, clamp(ratio, bound, high) * advantage);
    if (advantage > 0) positive += clipped(0);
    all += settings.denominator === 'gross' ? Math.abs(clipped(low)) : clipped(low);
  }
  return Math.abs(positive) / Math.abs(all);
}

function codeStatistic(rows: readonly BapoRow[], low: number, high: number, { epsilon = 1e-8 }: BapoSettings): number {
  let [positive, negative] = [0, 0];
  for (const { ratio, advantage } of rows) {
    if (advantage >= 0) positive += Math.min(ratio, high) * advantage;
    else negative += Math.max(ratio, low) * Math.abs(advantage);
  }
  return negative <= 0 ? Number.POSITIVE_INFINITY : positive / (negative + epsilon);
}

export function searchBounds(given: ObjectiveRows, settings: BapoSettings): BoundSearch {
  const rows = rowsOf(given);
  return settings.rule === 'paper' ? searchByPaper(rows, settings) : searchByCode(rows, settings);
}

/** Algorithm 1: searches high first, then low. */
function searchByPaper(rows: readonly BapoRow[], settings: BapoSettings): BoundSearch {
  let [low, high] = [settings.lowStart, settings.highStart];
  let value = paperStatistic(rows, low, high, settings);
  const trace: BoundSearch['trace'] = [[low, high, value]];
  while (value < settings.target && low + settings.lowStep <= settings.lowMost) {
    if (high + settings.highStep <= settings.highMost) high += settings.highStep;
    else low += settings.lowStep;
    value = paperStatistic(rows, low, high, settings);
    trace.push([low, high, value]);
  }
  return { low, high, trace };
}

/** The code's rule: searches low to its end first, then high. */
function searchByCode(rows: readonly BapoRow[], settings: BapoSettings): BoundSearch {
  let [low, high] = [settings.lowStart, settings.highStart];
  let value = codeStatistic(rows, low, high, settings);
  const trace: BoundSearch['trace'] = [[low, high, value]];
  const again = () => {
    value = codeStatistic(rows, low, high, settings);
    trace.push([low, high, value]);
  };
  while (value < settings.target && low < settings.lowMost && settings.lowStep > 0) {
    low = Math.min(low + settings.lowStep, settings.lowMost);
    again();
  }
  while (value < settings.target && high < settings.highMost && settings.highStep > 0) {
    high = Math.min(high + settings.highStep, settings.highMost);
    again();
  }
  return { low, high, trace };
}

export const bapoSurrogate =
  (settings: BapoSettings): Surrogate =>
  (rows) => {
    const { low, high, trace } = searchBounds(rows, settings);
    const [, , share] = trace[trace.length - 1];
    const infinite = Number.POSITIVE_INFINITY;
    const bounds = { low, high, dualClip: settings.dualClip ?? infinite, cap: infinite };
    const { oldLogprob, advantage } = rows.columns;
    return {
      term: (i) => {
        const { ratio, slope } = ratioOf(rows.logprob[i] - oldLogprob[i]);
        return clipTerm(ratio, slope, advantage[i], bounds);
      },
      // Without any credit the share is undefined.
      metrics: { clipBoundLow: low, clipBoundHigh: high, ...(Number.isFinite(share) ? { positiveShare: share } : {}) },
    };
  };
