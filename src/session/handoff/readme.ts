/** README of a hand-off: the files, installation and start, differences between the trainers, and the way back. */

import type { Ledger, Note } from './ledger.ts';
import { markdownText } from './quote.ts';
import type { HandoffInput, HandoffTarget } from './target.ts';

const inWords = (value: unknown) =>
  value === null ? 'none' : markdownText(typeof value === 'string' ? value : JSON.stringify(value));

const noteLine = ({ path, value, why }: Note) =>
  `- \`${path}\` = ${inWords(value)}${why ? `: ${why}` : ': no such setting there'}`;

/** Markdown list of the settings that do not carry over exactly. */
export function differences(ledger: Ledger): string {
  const lines = [...ledger.remarks.map((sentence) => `- ${sentence}`), ...ledger.notes().map(noteLine)];
  return lines.length ? `${lines.join('\n')}\n` : 'Every setting has an exact counterpart.\n';
}

const policyLine = ({ policy }: HandoffInput, whole: boolean) => {
  if (policy.form === 'model') return '- `model/`: the policy, in the Hugging Face layout';
  const base = `for ${markdownText(policy.base?.name ?? '')}${policy.base?.revision ? ` at ${policy.base.revision}` : ''}`;
  const merged = whole ? '; `merge.py` merges it into the model' : '';
  return policy.files
    ? `- \`adapter/\`: the adapter in PEFT's layout, ${base}${merged}`
    : `- no adapter: training starts from a new one, ${base}${merged}`;
};

const serverLine = ({ title, world, port }: HandoffInput['servers'][number], i: number) =>
  `- ${title}: port ${port}, \`npm run serve -- --port ${port} --world ${world} --options worlds/options-${i + 1}.json\` in a checkout of Tabgym`;

export function readmeOf(
  target: HandoffTarget,
  input: HandoffInput,
  ledger: Ledger,
  files: readonly string[],
  withServer: boolean,
): string {
  const { start, back } = target.howTo(input);
  const { experiment, done, steps } = input;
  const listed = files.map((file) => `- \`${file}\``).join('\n');
  const served = withServer
    ? 'The server is in `worlds/server` and needs only Node 20.19 or later.'
    : 'The worlds are served from a checkout of Tabgym, after `npm ci`. Set `TABGYM` to its folder.';
  return `# ${markdownText(input.name)}, on ${target.label}

This run of Tabgym continues after step ${done}, for ${steps} more steps. ${target.sentence}

## Start

\`\`\`
pip install ${target.pins.map((pin) => `'${pin}'`).join(' ')}
./serve.sh                          # the worlds, in another terminal
${start}
\`\`\`

${served} \`TABGYM_HOST=0.0.0.0 ./serve.sh\` serves other machines too, without a login; the trainer then needs
the serving machine's name in \`TABGYM_WORLDS\`. The folder is written for the quoted versions; others are untested.

## Files

${policyLine(input, target.protocol === 'agentgym')}
${input.servers.map(serverLine).join('\n')}
${listed}

Training tasks are in the order in which the run would have drawn them, ${experiment.algorithm.groups} per step.

## Differences

${differences(ledger)}
## Bring the policy back

\`\`\`
${back}
\`\`\`

Run this in a checkout of Tabgym, or choose "Import a run, a policy or an adapter" in the page with a zip of the folder.
`;
}
