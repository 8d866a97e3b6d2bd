/** README of a hand-off: the files, installation and start, differences between the trainers, and the way back. */

import type { Ledger, Note } from './ledger.ts';
import { markdownText } from './quote.ts';
import type { HandoffInput, HandoffTarget } from './target.ts';

const inWords = (value: unknown) =>
  value === null ? 'none' : markdownText(typeof value === 'string' ? value : JSON.stringify(value));

const noteLine = ({ path, value, why }: Note) =>
  `- \`${path}\` = ${inWords(value)}${why ? `: ${why}` : ': not known there'}`;

/** Markdown list of the settings that do not carry over exactly. */
export function differences(ledger: Ledger): string {
  const lines = [...ledger.remarks.map((sentence) => `- ${sentence}`), ...ledger.notes().map(noteLine)];
  return lines.length ? `${lines.join('\n')}\n` : 'Every setting has its counterpart.\n';
}

const policyLine = ({ policy }: HandoffInput, whole: boolean) => {
  if (policy.form === 'model') return '- `model/`: the policy, in the Hugging Face layout';
  const beside = `beside ${markdownText(policy.base?.name ?? '')}${policy.base?.revision ? ` at ${policy.base.revision}` : ''}`;
  const merged = whole ? '; `merge.py` puts it into the model' : '';
  return policy.files
    ? `- \`adapter/\`: the adapter, in PEFT's layout, ${beside}${merged}`
    : `- no adapter: training starts from a new one, ${beside}${merged}`;
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
    ? 'The server lies in `worlds/server`: it needs Node 20.19 or later and nothing else.'
    : 'They are served by a checkout of Tabgym (`npm ci` there first): set `TABGYM` to its folder.';
  return `# ${markdownText(input.name)}, on ${target.label}

A run of Tabgym, handed over after step ${done} for ${steps} more. ${target.sentence}

## Start

\`\`\`
pip install ${target.pins.map((pin) => `'${pin}'`).join(' ')}
./serve.sh                          # the worlds, in another terminal
${start}
\`\`\`

${served} \`TABGYM_HOST=0.0.0.0 ./serve.sh\` lets other machines in (there is no login); \`TABGYM_WORLDS\` names, to the trainer, the one that serves.
What is written above between quotes is what this folder was written for; other versions were not looked at.

## What is here

${policyLine(input, target.protocol === 'agentgym')}
${input.servers.map(serverLine).join('\n')}
${listed}

Training tasks lie in the order in which the run would have drawn them, ${experiment.algorithm.groups} a step.

## What is not the same there

${differences(ledger)}
## The way back

\`\`\`
${back}
\`\`\`

in a checkout of Tabgym, or, in the page, "Import policy" with a zip of that folder.
`;
}
