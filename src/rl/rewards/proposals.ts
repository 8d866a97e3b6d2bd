/**
 * Reward functions written by a model (Eureka, https://arxiv.org/abs/2310.12931): the request with the world and the
 * best proposal so far, the functions in a reply, and a run's curves as text. Pure functions.
 */
import type { SplitEvaluation, StepRecord } from '../evaluation/evaluation.ts';
import { partMetric } from '../metrics/metrics.ts';

/** Name of the column of a proposed function. */
export const proposedColumn = 'proposed';

/** Description of a world, as the request gives it. */
export interface WorldText {
  title: string;
  summary: string;
  instruction: string;
  /** First observation of a task. */
  example: string;
  /** Source of a world that a person wrote. */
  code?: string;
}

/** A proposal and the result of its short run. */
export interface Proposal {
  round: number;
  /** Number within the round, from 1. */
  number: number;
  code: string;
  /** Reason that it was not trained to its end. */
  problem?: string;
  /** Held-out success after the run, with chance on the same tasks. */
  success?: number;
  chance?: number;
  /** The run's curves. */
  curves?: string;
}

/** Functions in a reply: each code block, or the whole text without one, that defines `reward`. At most `most`. */
export function functionsIn(reply: string, most: number): string[] {
  const blocks = [...reply.matchAll(/```[^\n`]*\n([\s\S]*?)```/g)].map(([, code]) => code);
  const texts = blocks.length ? blocks : [reply];
  return texts
    .filter((code) => /\bfunction\s+reward\s*\(/.test(code))
    .map((code) =>
      code
        .trim()
        .replace(/^(?!.*\bexport\s+function\s+reward\b)([\s\S]*?)\bfunction\s+reward\b/, '$1export function reward'),
    )
    .slice(0, most);
}

/** Number of points of a curve in text. */
const points = 10;

/** Up to ten values of a metric over the steps; empty: it was not recorded. */
function curve(records: readonly StepRecord[], name: string): string {
  const values = records.flatMap(({ step, metrics }) =>
    step > 0 && Number.isFinite(metrics[name]) ? [metrics[name]] : [],
  );
  const every = Math.max(1, Math.ceil(values.length / points));
  return values
    .filter((_, i) => i % every === 0 || i === values.length - 1)
    .map((value) => value.toFixed(3))
    .join(', ');
}

/** The course of a run as text: success beside chance, the reward, the length of episodes, endings. */
export function curvesText(records: readonly StepRecord[]): string {
  const names = [
    'success',
    'chance',
    'score',
    partMetric(proposedColumn),
    'turns',
    'validActions',
    'groupsWithoutSignal',
  ];
  const lines = names.flatMap((name) => {
    const values = curve(records, name);
    return values ? [`${name === partMetric(proposedColumn) ? 'your reward' : name}: ${values}`] : [];
  });
  return lines.join('\n');
}

/** Held-out success of a finished run; null: it has no evaluation. */
export function resultOf(records: readonly StepRecord[]): Pick<SplitEvaluation, 'policy' | 'chance'> | null {
  return records.at(-1)?.evaluation?.test ?? null;
}

/** Success above chance; proposals without a result come last. */
const gain = ({ success, chance }: Proposal) => (success === undefined ? -Infinity : success - (chance ?? 0));

/** The best proposal so far; null: none was trained. */
export function bestOf(proposals: readonly Proposal[]): Proposal | null {
  const best = proposals.toSorted((a, b) => gain(b) - gain(a)).at(0);
  return best?.success === undefined ? null : best;
}

const episodeFields = `episode = {
  task: { world, id, options, strata },
  prompt,            // the first observation
  turns: [{ action, thought, reply, observation, reward, valid }],  // reward: the world's score after the turn
  score, success, ending,  // ending: success, done, horizon, context or invalid-action
  horizon,           // most turns
  oracleTurns,       // turns of the shortest known solution, or null
}`;

function describeEarlier(proposals: readonly Proposal[]): string[] {
  const best = bestOf(proposals);
  const failed = proposals.filter(({ problem }) => problem).slice(-3);
  return [
    ...(best
      ? [
          `The best function so far ended at success ${best.success?.toFixed(3)} (chance ${best.chance?.toFixed(3)}):`,
          `\`\`\`js\n${best.code}\n\`\`\``,
          `Its training run, first step to last:\n${best.curves}`,
          'Say what its curves show, then improve it or try another idea.',
        ]
      : []),
    ...failed.map(({ code, problem }) => `This function failed (${problem}):\n\`\`\`js\n${code}\n\`\`\``),
  ];
}

/** Request for `count` functions. */
export function requestText(world: WorldText, count: number, proposals: readonly Proposal[]): string {
  return [
    `A small language-model agent learns by reinforcement learning in ${world.title}: ${world.summary}`,
    world.instruction && `The world's instruction:\n${world.instruction}`,
    `The first observation of a task:\n${world.example}`,
    world.code && `The world's source:\n\`\`\`js\n${world.code}\n\`\`\``,
    `Write ${count} different reward functions in JavaScript, each complete in a code block of its own:\n\`\`\`js\nexport function reward(episode) { … return number; }\n\`\`\``,
    `A function is called once an episode and returns a finite number; episodes of the same task are compared with each other. It has no network, clock or random numbers.\n${episodeFields}`,
    'The goal is success on tasks that were not trained on. Reward steps that lead there; what pays without success is learnt instead.',
    ...describeEarlier(proposals),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Table of all proposals, best first, as Markdown. */
export function proposalsTable(proposals: readonly Proposal[]): string {
  const cell = (value: number | undefined) => (value === undefined ? '–' : value.toFixed(3));
  const rows = proposals
    .toSorted((a, b) => gain(b) - gain(a))
    .map(
      ({ round, number, success, chance, problem = '' }) =>
        `| ${round}.${number} | ${cell(success)} | ${cell(chance)} | ${problem.replace(/\s+/g, ' ').replaceAll('|', '/')} |`,
    );
  return `| proposal | held-out success | chance | problem |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
}
