/**
 * Texts of the registries (knobs, metrics, worlds) in the page's language. The registries contain plain English, so
 * that the command line and the docs can read them without a page; here they are looked up by ids such as
 * `knob.PATH.label`. `scripts/registry-messages.mjs` lists them for translators (`npm run localize`).
 */
import { msg, str } from '@lit/localize';
import type { Knob } from '../../experiment/knob.ts';
import { factsOf, type Policy, policySummary } from '../../experiment/policies/registry.ts';
import { baseNameOf, placeOf } from '../../models/names.ts';
import { ownSuiteTexts } from '../../worlds/own-suite.ts';
import { suiteColumns, worldModules } from '../../worlds/registry.ts';
import { turnCount } from '../kit/counts.ts';
import { listed } from '../kit/format.ts';

/** `msg` without its branded type: the extractor follows literal texts only. */
export const lookUp = msg as unknown as (text: string, options: { id: string }) => string;

export const knobLabel = (knob: Knob) => lookUp(knob.label, { id: `knob.${knob.id ?? knob.path}.label` });

export const knobSentence = (knob: Knob) => lookUp(knob.sentence, { id: `knob.${knob.id ?? knob.path}.sentence` });

/** What an empty field of the knob means; undefined if it may not be empty. */
export const knobEmpty = ({ id, path, nullMeans }: Knob): string | undefined =>
  nullMeans && lookUp(nullMeans, { id: `knob.${id ?? path}.empty` });

/** Label of a choice; the choice itself if it has none. */
export const choiceLabel = ({ id, path, choiceLabels }: Knob, choice: string | number) => {
  const label = choiceLabels?.[choice];
  return label === undefined ? String(choice) : lookUp(label, { id: `knob.${id ?? path}.choice.${choice}` });
};

/** Heading of a choice's group, or an empty text. */
export const choiceGroup = ({ id, path, choiceGroups }: Knob, choice: string) => {
  const group = choiceGroups?.[choice];
  return group === undefined ? '' : lookUp(group, { id: `knob.${id ?? path}.group.${group}` });
};

/** Title of a shipped experiment. */
export const presetTitle = ({ name }: { name: string }) => lookUp(name, { id: `preset.${name}.title` });

/** Description of a shipped experiment; that of any other is returned as it is. */
export const presetDescription = ({ name, description = '' }: { name: string; description?: string }) =>
  lookUp(description, { id: `preset.${name}.description` });

/** Title of a world; the name itself for a world that no longer exists (in an old run). */
export const worldTitle = (name: string) => {
  const found = worldModules.find((each) => each.name === name);
  return found ? lookUp(found.title, { id: `world.${name}.title` }) : name;
};

/** A world's task in one sentence for a newcomer; empty for a world that has none. */
export function worldPlain(name: string): string {
  const plain = worldModules.find((each) => each.name === name)?.plain;
  return plain ? lookUp(plain, { id: `world.${name}.plain` }) : '';
}

/** What a try in a world is paid, in one sentence for a newcomer; empty for a world that pays success alone. */
export function worldPays(name: string): string {
  const pays = worldModules.find((each) => each.name === name)?.pays;
  return pays ? lookUp(pays, { id: `world.${name}.pays` }) : '';
}

/** Label and explanation of a published evaluation. */
export const suiteLabel = ({ name, label }: { name: string; label: string }) =>
  lookUp(label, { id: `suite.${name}.label` });
export const suiteSentence = ({ name, sentence }: { name: string; sentence: string }) =>
  lookUp(sentence, { id: `suite.${name}.sentence` });
/** Difference between a stand-in and the published items; empty if a suite has these. */
export const suiteStandIn = ({ name, standIn }: { name: string; standIn?: string }) =>
  standIn ? lookUp(standIn, { id: `suite.${name}.stand-in` }) : '';

export const formatLabel = ({ name, label }: { name: string; label: string }) =>
  lookUp(label, { id: `trajectory-format.${name}` });

/** Label of the suite with this English label; the label itself if there is no such suite. */
export function labelOfSuite(label: string): string {
  const suites = [ownSuiteTexts, ...worldModules.flatMap((each) => each.suites ?? [])];
  const found = suites.find((each) => each.label === label);
  return found ? suiteLabel(found) : label;
}

/** Turn limit of an agent's card, which contains it as an English text. */
export function limitLabel(limit: string): string {
  if (limit === "each world's own turns") return msg('each world’s own turns');
  const turns = /^(\d+) turns?$/.exec(limit);
  if (turns) return turnCount(Number(turns[1]));
  const more = /^the oracle's turns(?: and (\d+) more)?$/.exec(limit);
  if (!more) return limit;
  return more[1] ? msg(str`the oracle’s turns and ${more[1]} more`) : msg('the oracle’s turns');
}

/** Texts of a shipped agent. */
export const agentTitle = ({ name, title }: { name: string; title: string }) =>
  lookUp(title, { id: `agent.${name}.title` });
export const agentSummary = ({ name, summary }: { name: string; summary: string }) =>
  lookUp(summary, { id: `agent.${name}.summary` });
/** What reward did to the agent; empty if its card has no such sentence. */
export const agentReward = ({ name, reward }: { name: string; reward?: string }) =>
  reward ? lookUp(reward, { id: `agent.${name}.reward` }) : '';

/** Differences between the conditions of a suite's published results and ours. */
export const suiteDiffers = (name: string, { differs }: { differs: string }) =>
  lookUp(differs, { id: `suite.${name}.differs` });

/** Label of a row or column of an evaluation: a column of a suite, or a property of tasks. */
export const evaluatedLabel = (label: string): string =>
  suiteColumns.includes(label) ? lookUp(label, { id: `suite-column.${label}` }) : stratumLabel(label);

/** Names of the properties by which worlds group their tasks. */
const stratumNames = (): { [name: string]: string } => ({
  attributes: msg('attributes', { id: 'stratum.attributes' }),
  collection: msg('collection', { id: 'stratum.collection' }),
  criteria: msg('criteria', { id: 'stratum.criteria' }),
  depth: msg('depth', { id: 'stratum.depth' }),
  difficulty: msg('difficulty', { id: 'stratum.difficulty' }),
  family: msg('family', { id: 'stratum.family' }),
  hops: msg('hops', { id: 'stratum.hops' }),
  joined: msg('joined', { id: 'stratum.joined' }),
  kind: msg('kind', { id: 'stratum.kind' }),
  level: msg('level', { id: 'stratum.level' }),
  options: msg('options', { id: 'stratum.options' }),
  seat: msg('seat', { id: 'stratum.seat' }),
  site: msg('site', { id: 'stratum.site' }),
  size: msg('size', { id: 'stratum.size' }),
  split: msg('split', { id: 'stratum.split' }),
  task: msg('task', { id: 'stratum.task' }),
});

/** A stratum such as "depth 1" with its property in the page's language; values are names of the world's own. */
export const stratumLabel = (stratum: string): string => {
  const [name, ...value] = stratum.split(' ');
  return [stratumNames()[name] ?? name, ...value].join(' ');
};

/** Properties of a task, each as a label. */
export const familyLabel = (family: string): string => listed(family.split(', ').map(stratumLabel));

export const metricSentence = (name: string, text: string) => lookUp(text, { id: `metric.${name}` });

/** Short description of a policy. A language model has the name in its repository, or of its file. */
export const policyLabel = (policy: Policy) => {
  const named = 'model' in policy && policy.model ? { ...policy, model: modelTitle(policy) } : policy;
  return policySummary(named, lookUp(factsOf(policy).summary, { id: `policy.${policy.kind}.summary` }));
};

/** Name of a policy's language model for people: the name in its repository, or of its file. Empty: it has none. */
export const modelTitle = (policy: Policy): string =>
  'model' in policy && policy.model ? baseNameOf(policy.model).name.split('/').at(-1)! : '';

/** Reason that a policy is not trained; empty if it is. */
export function playsOnlyReason(policy: Policy | undefined): string {
  const why = policy && factsOf(policy).playsOnly;
  return why ? lookUp(why, { id: `policy.${policy.kind}.playsOnly` }) : '';
}

/** Base model of an adapter, and where the page finds it; '' for other policies. */
export function baseModelText(policy: Policy): string {
  const { languageModel, trains } = factsOf(policy);
  if (!languageModel || !trains || !('model' in policy)) return '';
  const { name } = baseNameOf(policy.model);
  const texts = {
    listed: () => msg(str`Its base model is ${name}, a listed model.`),
    repository: () => msg(str`Its base model, ${name}, is not listed: it is read from the hub when the run starts.`),
    loaded: () => msg(str`Its base model, ${name}, is not listed: load it here under Language model first.`),
    path: () =>
      msg(
        str`Its base model is named ${name}, which is neither a listed model nor a repository: write the repository into adapter_config.json and import it again.`,
      ),
  };
  return texts[placeOf(policy.model)]();
}

/** Name of a part of a memory plan (`PlannedBuffer.part`); a name without a translation is shown as it is. */
export function memoryPartLabel(part: string): string {
  const labels: { readonly [part: string]: string } = {
    weights: msg('weights'),
    adapter: msg('adapter'),
    optimizer: msg('gradients and optimiser'),
    reference: msg('reference policy'),
    activations: msg('activations'),
    'gradients of activations': msg('gradients of activations'),
    head: msg('output head'),
    'KV cache': msg('KV cache'),
    decoding: msg('decoding'),
    transfer: msg('transfer'),
    critic: msg('critic'),
    teacher: msg('teacher'),
    host: msg('memory of the page'),
  };
  return Object.hasOwn(labels, part) ? labels[part] : part;
}
