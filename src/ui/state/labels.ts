/**
 * Words of the registries (knobs, metrics, worlds) in the reader's language. The registries hold plain English sentences, so
 * that the command line and the docs read them without a page; here they are looked up under `knob.PATH.label` and the
 * like. `scripts/registry-messages.mjs` lists them for translators (`npm run localize`).
 */
import { msg } from '@lit/localize';
import type { Knob } from '../../experiment/knob.ts';
import { factsOf, type Policy, policySummary } from '../../experiment/policies/registry.ts';
import { worldModules } from '../../worlds/registry.ts';

/** `msg` without its brand: the extractor only follows literal texts. */
export const lookUp = msg as unknown as (text: string, options: { id: string }) => string;

export const knobLabel = (knob: Knob) => lookUp(knob.label, { id: `knob.${knob.id ?? knob.path}.label` });

export const knobSentence = (knob: Knob) => lookUp(knob.sentence, { id: `knob.${knob.id ?? knob.path}.sentence` });

/** A choice in words, where it is an identifier. */
export const choiceLabel = ({ id, path, choiceLabels }: Knob, choice: string | number) => {
  const label = choiceLabels?.[choice];
  return label === undefined ? String(choice) : lookUp(label, { id: `knob.${id ?? path}.choice.${choice}` });
};

/** What a choice stands under; empty: nothing. */
export const choiceGroup = ({ id, path, choiceGroups }: Knob, choice: string) => {
  const group = choiceGroups?.[choice];
  return group === undefined ? '' : lookUp(group, { id: `knob.${id ?? path}.group.${group}` });
};

/** What a shipped experiment is called. */
export const presetTitle = ({ name }: { name: string }) => lookUp(name, { id: `preset.${name}.title` });

/** What a shipped experiment says of itself; of another its own words. */
export const presetDescription = ({ name, description = '' }: { name: string; description?: string }) =>
  lookUp(description, { id: `preset.${name}.description` });

/** What a world is called; the name itself where there is no such world (an old run's). */
export const worldTitle = (name: string) => {
  const found = worldModules.find((each) => each.name === name);
  return found ? lookUp(found.title, { id: `world.${name}.title` }) : name;
};

export const metricSentence = (name: string, text: string) => lookUp(text, { id: `metric.${name}` });

/** A policy in a few words. */
export const policyWords = (policy: Policy) =>
  policySummary(policy, lookUp(factsOf(policy).summary, { id: `policy.${policy.kind}.summary` }));

/** Why a policy is not trained; empty: it is. */
export function playsOnlyWords(policy: Policy | undefined): string {
  const why = policy && factsOf(policy).playsOnly;
  return why ? lookUp(why, { id: `policy.${policy.kind}.playsOnly` }) : '';
}
