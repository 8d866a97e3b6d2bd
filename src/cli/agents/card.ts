/**
 * The model card of a shipped agent as Markdown, and its entry in the page's gallery. The same agent always gives the
 * same bytes.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import { algorithmOf } from '../../rl/algorithms/registry.ts';
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import { successTable } from '../../rl/evaluation/suite-report.ts';
import { estimateSvg } from '../../rl/evaluation/svg-chart.ts';
import { markdownTable, percent } from '../../rl/evaluation/tables.ts';
import { stageAt } from '../../rl/schedule/horizon.ts';
import type { ListedAgent, ShippedAgent, SuiteTable } from '../../session/shipped-agent.ts';

export const formatTurns = (turns: Experiment['horizon'][number]['turns']) =>
  typeof turns === 'number'
    ? `${turns} ${turns === 1 ? 'turn' : 'turns'}`
    : `the oracle's turns${turns.oraclePlus ? ` and ${turns.oraclePlus} more` : ''}`;

/** Limit of a run's episodes under a stage of its horizon; a mixture may have one for each world. */
export const limitOf = ({ worlds }: Pick<Experiment, 'worlds'>, turns: Experiment['horizon'][number]['turns']) =>
  worlds.some((world) => (world.turns ?? null) !== null) ? "each world's own turns" : formatTurns(turns);

/** The phases of a run up to a step, a line each: its stages, then its main algorithm under its horizons. */
export function partsOf(experiment: Experiment, step: number): string[] {
  const { stages = [], steps, algorithm, horizon } = experiment;
  const parts: { first: number; last: number; words: string }[] = [];
  let before = 0;
  for (const stage of stages) {
    parts.push({ first: before + 1, last: before + stage.steps, words: algorithmOf(stage.algorithm).label });
    before += stage.steps;
  }
  const under = horizon.slice(stageAt(horizon, before + 1).index);
  const limits = [...new Set(under.map(({ turns }) => limitOf(experiment, turns)))].join(', then ');
  parts.push({ first: before + 1, last: steps, words: `${algorithmOf(algorithm).label}, within ${limits}` });
  return parts
    .filter(({ first, last }) => first <= Math.min(last, step))
    .map(({ first, last, words }) => {
      const stopped = last > step ? `, stopped before its end at ${last}` : '';
      return `Steps ${first} to ${Math.min(last, step)}: ${words}${stopped}.`;
    });
}

const formatDecoding = ({ greedy, samples, temperature }: SuiteTable) =>
  greedy ? 'greedy' : `sampled at temperature ${temperature}, ${samples} tries an item`;

function suiteSection(table: SuiteTable): string {
  const { label, sentence, limit, masked, rows, standIn, roomless } = table;
  return [
    `### ${label}: ${formatDecoding(table)}`,
    `${sentence} At most ${limit}; ${masked ? 'actions chosen among those the world lists' : 'actions written freely'}.`,
    ...(standIn ? [`A stand-in: ${standIn}`] : []),
    ...(roomless ? [`Tries that ran out of room for tokens, counted as failures: ${roomless}.`] : []),
    markdownTable(successTable(rows)),
    ...publishedSection(table),
  ].join('\n\n');
}

function publishedSection({ published, rows, greedy }: SuiteTable): string[] {
  if (!published) return [];
  const { columns, source, differs } = published;
  const ours = [...columns, 'All'].map((label) => rows.find((row) => row.label === label)?.success.mean);
  const head = ['success %', ...columns, 'All'];
  const lines = [
    [`this agent, ${greedy ? 'greedy' : 'sampled'}`, ...ours.map((mean) => (mean === undefined ? '-' : percent(mean)))],
    ...published.rows.map(([model, ...numbers]) => [`${model} (published)`, ...numbers.map((n) => n.toFixed(2))]),
  ];
  return [markdownTable({ head, rows: lines }), `${source}. ${differs}`];
}

function rewardSection({ gain, reward }: ShippedAgent): string[] {
  if (!gain && !reward) return [];
  const lines = ['### Reward after imitation'];
  if (gain) {
    const { imitated, last, before, after, difference, test, p } = gain;
    const interval = ({ low, high }: { low: number; high: number }) => `[${percent(low)}, ${percent(high)}]`;
    const head = ['held-out tasks of its own experiment', 'step', 'success %'];
    const row = (words: string, step: number, { rate, ...ends }: typeof before) => [
      words,
      String(step),
      `${percent(rate)} ${interval(ends)}`,
    ];
    lines.push(
      markdownTable({ head, rows: [row('after imitation', imitated, before), row('after reward', last, after)] }),
      `Difference in points: ${percent(difference.mean)} ${interval(difference)}, ${test === null || p === null ? 'as of independent episodes' : `paired over ${difference.items} tasks (${test}, p ${p.toPrecision(2)})`}.`,
    );
  }
  return reward ? [...lines, reward] : lines;
}

function modelSection({ policy, bytes, base }: ShippedAgent): string {
  const parameters = policy.parameters.toLocaleString('en');
  const size = `${(bytes / 1e6).toFixed(2)} MB`;
  if (!base)
    return `${parameters} parameters with a vocabulary of ${policy.words} words, weights in ${policy.weights}, ${size} with its experiment and curves. Trained by Tabgym from random weights.`;
  return (
    `An adapter of ${parameters} parameters (LoRA, weights in ${policy.weights}, ${size} with its experiment and curves), trained by Tabgym beside the frozen weights of ${base.repository} (${base.licence}). ` +
    `The model and its tokenizer are not shipped: they come from the hub (${Math.round(base.bytes / 1e6)} MB) or from a file of it.`
  );
}

const againOf = ({ name, file, base }: ShippedAgent) =>
  `To make it again: \`npm run agents -- ${name}${base ? ' --model MODEL.gguf' : ''}\`; \`experiment.json\` in \`${file}\` contains all settings.${base ? ' Without `--model` the weights come from the hub.' : ''}`;

const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');

const formatFlops = (flops: number) => flops.toExponential(1).replace('e+', 'e');

/** The model card as Markdown. */
export function cardOf(agent: ShippedAgent): string {
  const { title, summary, cost, parts, suites, data, limits, differs, improve } = agent;
  return `${[
    `# ${title}`,
    summary,
    '## Model',
    modelSection(agent),
    '## Training',
    list(parts),
    `${cost.steps} steps, ${cost.episodes} episodes, ${formatFlops(cost.flops)} floating-point operations, ${cost.hours.toFixed(2)} hours of steps on ${cost.device} (${cost.processor}). Times are those of a machine that may have been busy with other work.`,
    againOf(agent),
    '![curves](curves.svg)',
    '## Training data',
    list(data),
    '## Evaluation',
    ...suites.map(suiteSection),
    ...rewardSection(agent),
    '## Differences from published agents',
    list(differs),
    '## Limitations',
    list(limits),
    '## Further training',
    improve.words,
  ].join('\n\n')}\n`;
}

/** Plot over the steps: success of each batch and of the evaluations, with chance. */
export function curvesOf(agent: Pick<ShippedAgent, 'title'>, records: readonly StepRecord[]): string {
  const exact = (mean: number) => ({ mean, low: mean, high: mean, items: 1 });
  const line = (label: string, value: (record: StepRecord) => number | undefined) => ({
    label,
    points: records.flatMap((record) => {
      const y = value(record);
      return y === undefined ? [] : [{ x: record.step, estimate: exact(y) }];
    }),
  });
  const lines = [
    line("success of the step's episodes", ({ metrics }) => metrics.success),
    line('chance on the same tasks', ({ metrics }) => metrics.chance),
    line('evaluation, held-out', ({ evaluation }) => evaluation?.test.policy.rate),
    line('likelihood of the oracle’s choices', ({ metrics }) =>
      metrics.demonstrations && metrics.policyLoss !== undefined ? Math.exp(-metrics.loss) : undefined,
    ),
  ];
  return estimateSvg({
    title: agent.title,
    x: 'step',
    y: '%',
    lines: lines.filter(({ points }) => points.length),
    bare: true,
  });
}

/** Entry of the gallery's list. */
export const listedOf = (agent: ShippedAgent): ListedAgent => {
  const { name, title, world, worlds, summary, bytes, headline, gain, reward, base, firstTask } = agent;
  return {
    ...{ name, title, world, summary, bytes, headline },
    ...(worlds ? { worlds } : {}),
    ...(gain ? { gain } : {}),
    ...(reward ? { reward } : {}),
    ...(base ? { base } : {}),
    ...(firstTask === undefined ? {} : { firstTask }),
  };
};
