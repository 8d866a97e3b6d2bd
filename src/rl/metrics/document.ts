/** Text of docs/metrics.md. */
import { worldMetric, worldSentence } from './by-world.ts';
import { gapMetric, gapSentence } from './gap.ts';
import {
  actionMetric,
  actionSentence,
  type GoalMetric,
  goalMetric,
  goalMetrics,
  metricGroups,
  metrics,
  partMetric,
  partSentence,
} from './metrics.ts';

export function metricsDocument(): string {
  const sections = Object.entries(metricGroups).map(([group, title]) => {
    const rows = metrics.filter((entry) => entry.group === group);
    const lines = rows.map(({ name, unit, sentence }) => `| \`${name}\` | ${unit} | ${sentence} |`);
    return `## ${title}\n\n| Metric | Unit | Meaning |\n| --- | --- | --- |\n${lines.join('\n')}\n`;
  });
  const parts = `\`${partMetric('COLUMN')}\` (score), where the experiment composes its reward: ${partSentence.replace(/^M/, 'm')}`;
  const goals = Object.entries(goalMetrics).map(
    ([what, { unit, sentence }]) => `\`${goalMetric(what as GoalMetric, 'FAMILY')}\` (${unit}): ${sentence}`,
  );
  const ofGoals = `Where the experiment chooses its goals, for each family:\n\n${goals.map((each) => `- ${each}`).join('\n')}`;
  const actions = `\`${actionMetric('KIND')}\` (fraction): ${actionSentence}\n\n\`${worldMetric('WORLD')}\` (fraction): ${worldSentence}`;
  const gaps = `\`${gapMetric('TURNS')}\` (nats): ${gapSentence}`;
  return `# Metrics of a step\n\nWritten from \`src/rl/metrics/metrics.ts\`, which a test compares with this page.\n\n${parts}\n\n${actions}\n\n${gaps}\n\n${ofGoals}\n\n${sections.join('\n')}`;
}
