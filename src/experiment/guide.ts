/**
 * Reference of all fields of an experiment: docs/experiment.md and the lists of `--help`. Generated from the knobs,
 * which are read from the schemas of all modules.
 */
import { worldModules } from '../worlds/registry.ts';
import type { Knob, KnobSection } from './knob.ts';
import { knobs } from './knobs.ts';

const sections: { readonly [section in KnobSection]: string } = {
  run: 'The run',
  world: 'Worlds',
  policy: 'Policy',
  stages: 'What comes before',
  algorithm: 'Algorithm',
  horizon: 'Horizon',
  sampling: 'Sampling',
  optimizer: 'Optimiser',
  evaluation: 'Evaluation',
  sweep: 'Sweep',
};

/** Knobs whose choices are the worlds, the algorithms and the kinds of policy. */
const kinds = [
  { title: 'Worlds', path: 'worlds.*.name' },
  { title: 'Algorithms', path: 'algorithm.name' },
  { title: 'Policies', path: 'policy.kind' },
];

function labelOf({ choiceLabels, choices = [] }: Knob, choice: string): string | undefined {
  const labels = choiceLabels as { readonly [key: string | number]: string } | undefined;
  return labels?.[choice] ?? labels?.[choices.indexOf(choice)];
}

/** Label of a kind: TextCraft for `textcraft`. Default: its name. */
export function kindLabel(path: string, name: string): string {
  const knob = knobs.find((each) => each.path === path);
  return (knob && labelOf(knob, name)) ?? name;
}

const choiceWords = (knob: Knob, choice: string) => {
  const label = labelOf(knob, choice);
  return label && label !== choice ? `\`${choice}\` (${label})` : `\`${choice}\``;
};

function valuesOf(knob: Knob): string {
  const { kind, choices, min, max, unit, multipleOf, nullMeans } = knob;
  const values = choices
    ? `${kind === 'choices' ? 'any of ' : ''}${choices.map((choice) => choiceWords(knob, choice)).join(', ')}`
    : kind === 'boolean'
      ? 'yes or no'
      : kind === 'code'
        ? `at most ${knob.longest} characters`
        : [min === undefined ? kind : `${min} to ${max}`, unit, multipleOf ? `in multiples of ${multipleOf}` : '']
            .filter(Boolean)
            .join(' ');
  return nullMeans ? `${values}; null: ${nullMeans}` : values;
}

/** Worlds, policies and algorithms that have the field; empty: all. */
function ownersOf(knob: Knob): string {
  const { worlds = [], policies = [] } = knob;
  const { algorithms = [] } = knob as { algorithms?: readonly string[] };
  return [...worlds, ...policies, ...algorithms].map((name) => `\`${name}\``).join(', ');
}

function sectionDocument(section: KnobSection): string {
  const own = knobs.filter((knob) => knob.section === section);
  const lines = own.map(
    (knob) => `| \`${knob.path}\` | ${ownersOf(knob)} | ${knob.label}. ${knob.sentence} | ${valuesOf(knob)} |`,
  );
  return `## ${sections[section]}\n\n| Field | Only of | What it is | Values |\n| --- | --- | --- | --- |\n${lines.join('\n')}\n`;
}

/** The whole text of docs/experiment.md. */
export function experimentDocument(): string {
  const worlds = worldModules.map(({ name, title, summary }) => `| \`${name}\` | ${title} | ${summary} |`);
  return [
    '# What an experiment says\n',
    'An experiment is one JSON document that describes a run; `experiments/` has examples. A field out of range is refused with its path and its',
    'bounds. Written from the schemas of the modules by `npm run docs`; a test compares.',
    '',
    `| World | | What is to be done |\n| --- | --- | --- |\n${worlds.join('\n')}\n`,
    ...(Object.keys(sections) as KnobSection[]).map(sectionDocument),
  ].join('\n');
}

/** All kinds, one line for each list, for the end of `--help`. */
export function kindsHelp(): string {
  const lines = kinds.map(({ title, path }) => {
    const knob = knobs.find((each) => each.path === path)!;
    const names = knob.choices!.map((choice) => {
      const label = labelOf(knob, choice);
      return label && label !== choice ? `${choice} (${label})` : choice;
    });
    return `${`${title}:`.padEnd(12)}${names.join(', ')}`;
  });
  return `\nAn experiment names\n${lines.map((line) => `  ${line}`).join('\n')}\n\ndocs/experiment.md lists every field with its bounds.`;
}
