/**
 * The domain that the household knows: ALFWorld's actions (github.com/alfworld/alfworld, MIT, `alfred.pddl` of 0.3.3 and
 * of 0.4 on, which adds `help`), in our own short form. A game's domain is compared with it, and a domain is written
 * from it.
 */
import { WorldError } from '../../../envs/env.ts';
import { type Expression, expressionText, headOf, parseExpression } from './expressions.ts';

const at = '(atlocation ?a ?l) (receptacleatlocation ?r ?l)';
const accessible = '(or (not (openable ?r)) (opened ?r))';

interface KnownAction {
  parameters: string;
  precondition: string;
  effect: string;
}

const treat = (property: string, kind: string, effect: string): KnownAction => ({
  parameters: '?a - agent ?l - location ?r - receptacle ?o - object',
  precondition: `(and (${property} ?o) (or (receptacletype ?r ${kind})) ${at} (holds ?a ?o))`,
  effect: `(and ${effect})`,
});

const note = (parameters: string, precondition: string, checked: string): KnownAction => ({
  parameters,
  precondition,
  effect: `(and (checked ${checked}))`,
});

/** Actions without their costs. The comma in `examineobject` is the original's: the planner finds no such type. */
const knownActions: { readonly [name: string]: KnownAction } = {
  look: note('?a - agent ?l - location', '(and (atlocation ?a ?l))', '?l'),
  inventory: note('?a - agent', '()', '?a'),
  help: note('?a - agent', '()', '?a'),
  examinereceptacle: note('?a - agent ?r - receptacle', `(and (exists (?l - location) (and ${at})))`, '?r'),
  examineobject: note(
    '?a - agent ?o - object',
    `(or (exists (?l - location, ?r - receptacle) (and ${at} (inreceptacle ?o ?r) ${accessible})) (holds ?a ?o))`,
    '?o',
  ),
  gotolocation: {
    parameters: '?a - agent ?lstart - location ?lend - location ?r - receptacle',
    precondition: '(and (atlocation ?a ?lstart) (receptacleatlocation ?r ?lend))',
    effect: '(and (not (atlocation ?a ?lstart)) (atlocation ?a ?lend))',
  },
  openobject: {
    parameters: '?a - agent ?l - location ?r - receptacle',
    precondition: `(and (openable ?r) ${at} (not (opened ?r)))`,
    effect: '(and (opened ?r) (checked ?r))',
  },
  closeobject: {
    parameters: '?a - agent ?l - location ?r - receptacle',
    precondition: `(and (openable ?r) ${at} (opened ?r))`,
    effect: '(and (not (opened ?r)))',
  },
  pickupobject: {
    parameters: '?a - agent ?l - location ?o - object ?r - receptacle',
    precondition: `(and (pickupable ?o) ${at} (inreceptacle ?o ?r) (not (holdsany ?a)) ${accessible})`,
    effect: '(and (not (inreceptacle ?o ?r)) (holds ?a ?o) (holdsany ?a) (not (objectatlocation ?o ?l)))',
  },
  putobject: {
    parameters: '?a - agent ?l - location ?o - object ?r - receptacle ?ot - otype ?rt - rtype',
    precondition: `(and (holds ?a ?o) ${at} ${accessible} (objecttype ?o ?ot) (receptacletype ?r ?rt) (cancontain ?rt ?ot))`,
    effect: '(and (inreceptacle ?o ?r) (objectatlocation ?o ?l) (not (holds ?a ?o)) (not (holdsany ?a)))',
  },
  cleanobject: treat('cleanable', 'sinkbasintype', '(isclean ?o)'),
  heatobject: treat('heatable', 'microwavetype', '(ishot ?o) (not (iscool ?o))'),
  coolobject: treat('coolable', 'fridgetype', '(iscool ?o) (not (ishot ?o))'),
  toggleobject: {
    parameters: '?a - agent ?l - location ?o - object ?r - receptacle',
    precondition: `(and (toggleable ?o) ${at} (inreceptacle ?o ?r))`,
    effect: '(and (when (ison ?o) (not (ison ?o))) (when (not (ison ?o)) (ison ?o)) (istoggled ?o))',
  },
  sliceobject: {
    parameters: '?a - agent ?l - location ?co - object ?ko - object',
    precondition:
      '(and (sliceable ?co) (or (objecttype ?ko knifetype) (objecttype ?ko butterknifetype)) (atlocation ?a ?l) (objectatlocation ?co ?l) (holds ?a ?ko))',
    effect: '(and (issliced ?co))',
  },
};

/** Predicates with the types of their arguments. */
export const knownPredicates: { readonly [name: string]: readonly string[] } = {
  atlocation: ['agent', 'location'],
  receptacleatlocation: ['receptacle', 'location'],
  objectatlocation: ['object', 'location'],
  openable: ['receptacle'],
  opened: ['receptacle'],
  inreceptacle: ['object', 'receptacle'],
  isreceptacleobject: ['object'],
  inreceptacleobject: ['object', 'object'],
  isreceptacleobjectfull: ['object'],
  wasinreceptacle: ['object', 'receptacle'],
  checked: ['receptacle'],
  examined: ['location'],
  receptacletype: ['receptacle', 'rtype'],
  cancontain: ['rtype', 'otype'],
  objecttype: ['object', 'otype'],
  holds: ['agent', 'object'],
  holdsany: ['agent'],
  holdsanyreceptacleobject: ['agent'],
  full: ['receptacle'],
  isclean: ['object'],
  cleanable: ['object'],
  ishot: ['object'],
  heatable: ['object'],
  iscool: ['object'],
  coolable: ['object'],
  pickupable: ['object'],
  moveable: ['object'],
  toggleable: ['object'],
  ison: ['object'],
  istoggled: ['object'],
  sliceable: ['object'],
  issliced: ['object'],
};

const isCost = (effect: Expression) => headOf(effect) === 'increase';

/** An action of a domain in the form of `knownActions`. */
function readAction(parts: Expression[]): KnownAction {
  const part = (keyword: string): Expression => parts[parts.indexOf(keyword) + 1] ?? [];
  const effect = part(':effect');
  const parameters = part(':parameters');
  return {
    parameters: Array.isArray(parameters) ? parameters.map(expressionText).join(' ') : '',
    precondition: expressionText(part(':precondition')),
    effect: expressionText(Array.isArray(effect) ? effect.filter((each) => !isCost(each)) : effect),
  };
}

/** Names of the actions of a domain. Throws with the name of what the household does not know. */
export function readDomain(text: string): string[] {
  const parts = parseExpression(text, 'domain');
  const actions = parts.filter((part): part is Expression[] => headOf(part) === ':action').map((part) => part.slice(1));
  const names = actions.map(([name]) => String(name));
  for (const [k, name] of names.entries()) {
    const known = Object.hasOwn(knownActions, name) ? knownActions[name] : null;
    if (!known) throw new WorldError(`The game's domain has an action "${name}" that the household does not know.`);
    const given = readAction(actions[k].slice(1));
    for (const part of ['parameters', 'precondition', 'effect'] as const)
      if (given[part] !== known[part])
        throw new WorldError(
          `The game's action "${name}" has another ${part} than the household's: ${given[part].slice(0, 200)}.`,
        );
  }
  for (const name of Object.keys(knownActions))
    if (name !== 'help' && !names.includes(name)) throw new WorldError(`The game's domain lacks the action "${name}".`);
  for (const part of parts)
    if (headOf(part) === ':derived')
      throw new WorldError("The game's domain has derived predicates, which are not known.");
  return names;
}

/** The domain as a text. `help`: with the action of 0.4 on. */
export function writeDomain(help: boolean): string {
  const types = 'agent location receptacle object rtype otype';
  const predicates = Object.entries(knownPredicates).map(
    ([name, args]) => `    (${name} ${args.map((type, k) => `?${'xy'[k]} - ${type}`).join(' ')})`,
  );
  const actions = Object.entries(knownActions)
    .filter(([name]) => help || name !== 'help')
    .map(
      ([name, { parameters, precondition, effect }]) =>
        `  (:action ${name}\n    :parameters (${parameters})\n    :precondition ${precondition}\n    :effect ${effect})`,
    );
  return `(define (domain alfred)
  (:requirements :adl :action-costs :typing)
  (:types ${types})
  (:predicates
${predicates.join('\n')})
  (:functions (distance ?from ?to) (total-cost) - number)
${actions.join('\n')}
)
`;
}
