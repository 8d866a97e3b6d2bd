/** All kinds of policy, by their names in a document. To add one: a file here, and its twin in `session/policies/`. */
import * as v from 'valibot';
import { fieldsOfVariants } from '../../fields/reader.ts';
import { type Knob, knob, knobOf } from '../knob.ts';
import { readPath } from '../paths.ts';
import { adapted } from './adapted.ts';
import { api } from './api.ts';
import type { PolicyFacts, PolicyKind, Problem } from './kind.ts';
import { onnx } from './onnx.ts';
import { tiny } from './tiny.ts';

export const policyKinds = { tiny, lora: adapted, onnx, api };

export type PolicyName = keyof typeof policyKinds;
export type Policy = { [name in PolicyName]: v.InferOutput<(typeof policyKinds)[name]['schema']> }[PolicyName];
/** Settings of one kind. */
export type PolicyOf<Name extends PolicyName> = Extract<Policy, { kind: Name }>;

const names = Object.keys(policyKinds) as PolicyName[];
const kindOf = ({ kind }: Pick<Policy, 'kind'>) => policyKinds[kind] as unknown as PolicyKind;

export const PolicySchema = v.variant('kind', [tiny.schema, adapted.schema, onnx.schema, api.schema]);

export const factsOf = (policy: Pick<Policy, 'kind'>): PolicyFacts => policyKinds[policy.kind].facts;

export const policyProblems = (policy: Policy): Problem[] => kindOf(policy).problems(policy);

/** Settings that the page starts from when another kind of policy is chosen; the model is chosen next. */
export const defaultPolicy = (kind: PolicyName): Policy => policyKinds[kind].start();

/** Short text for a policy. `pattern`: the summary of its kind, in the reader's language. */
export const policySummary = (policy: Policy, pattern = factsOf(policy).summary): string =>
  pattern.replace(/\{([\w.]+)\}/g, (_, path: string) => String(readPath(policy, path)));

/** Kinds of policy with a fact, such as those that train. */
export const kindsWith = (fact: keyof PolicyFacts): PolicyName[] =>
  names.filter((name) => policyKinds[name].facts[fact]);

const variants = names.map((name) => ({ name, schema: policyKinds[name].schema as v.GenericSchema }));

export const policyKnobs: readonly Knob[] = [
  knob(
    'policy.kind',
    'Kind',
    names.map((name) => policyKinds[name].facts.sentence).join(' '),
    'choice',
    'advanced',
    'restart',
    { choices: names, choiceLabels: Object.fromEntries(names.map((name) => [name, policyKinds[name].facts.label])) },
  ),
  ...fieldsOfVariants(variants, 'policy').map((each) => knobOf(each.field, { policies: each.names })),
];
