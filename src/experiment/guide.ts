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
  reward: 'Reward',
  goals: 'Goals',
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

/** A choice with its label, unless the label has the same words. Kinds always have theirs. */
const choiceWords = (knob: Knob, choice: string) => {
  const label = labelOf(knob, choice);
  const isKind = kinds.some(({ path }) => path === knob.path);
  const same = label?.toLowerCase() === choice.replaceAll('-', ' ').toLowerCase();
  return label && label !== choice && (isKind || !same) ? `\`${choice}\` (${label})` : `\`${choice}\``;
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

/** Worlds, policies, algorithms, parts of a reward and rules for goals that have the field; empty: all. */
function ownersOf(knob: Knob): readonly string[] {
  const { worlds = [], policies = [], rewards = [], rules = [] } = knob;
  const { algorithms = [] } = knob as { algorithms?: readonly string[] };
  return [...worlds, ...policies, ...algorithms, ...rewards, ...rules];
}

const servedWorlds = worldModules.map(({ name }) => name).filter((name) => name.startsWith('agentgym-'));
const algorithms = knobs.find(({ path }) => path === 'algorithm.name')!.choices!.map(String);

/** Owners as text: `agentgym-*` for all worlds of AgentGym's servers, and the exceptions if most algorithms are owners. */
function ownersText(owners: readonly string[]): string {
  const words = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  if (servedWorlds.every((name) => owners.includes(name)))
    return words([...owners.filter((name) => !servedWorlds.includes(name)), 'agentgym-*']);
  const others = algorithms.filter((name) => !owners.includes(name));
  if (others.length === 0) return '';
  const most = owners.every((name) => algorithms.includes(name)) && others.length < owners.length;
  return most ? `all but ${words(others)}` : words(owners);
}

/** A section's table. Fields that differ only in their owners share a row. */
function sectionDocument(section: KnobSection): string {
  const rows = new Map<string, { path: string; owners: Set<string>; rest: string }>();
  for (const knob of knobs.filter((each) => each.section === section)) {
    const values = knob.path === kinds[0]!.path ? 'a world of the table above' : valuesOf(knob);
    const rest = `${knob.label}. ${knob.sentence} | ${values}`;
    const key = `${knob.path} ${rest}`;
    const row = rows.get(key) ?? { path: knob.path, owners: new Set(), rest };
    rows.set(key, row);
    for (const owner of ownersOf(knob)) row.owners.add(owner);
  }
  const lines = [...rows.values()].map(
    ({ path, owners, rest }) => `| \`${path}\` | ${ownersText([...owners])} | ${rest} |`,
  );
  return `## ${sections[section]}\n\n| Field | Only of | Meaning | Values |\n| --- | --- | --- | --- |\n${lines.join('\n')}\n`;
}

/** The whole text of docs/experiment.md. */
export function experimentDocument(): string {
  const worlds = worldModules.map(
    ({ name, title, summary }, index) =>
      `| \`${name}\` | ${title} | ${summary === worldModules[index - 1]?.summary ? 'As above.' : summary} |`,
  );
  return [
    '# Fields of an experiment\n',
    'An experiment is a JSON document that describes a run; `experiments/` has examples. A field out of range is refused',
    'with its path and bounds. `npm run docs` writes this page from the schemas; `agentgym-*` stands for all such worlds.',
    '',
    `| World | | Task |\n| --- | --- | --- |\n${worlds.join('\n')}\n`,
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
