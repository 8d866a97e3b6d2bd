/**
 * Goals of problems: read as the clauses that the household knows (those of ALFWorld's goals, MIT), and written in
 * ALFWorld's form. Nested `exists` and `and` become one list of facts, which must be exactly those of a clause.
 */
import { WorldError } from '../../../envs/env.ts';
import { type Clause, objectBits, type StateName } from '../house.ts';
import { type Expression, expressionText, headOf } from './expressions.ts';

const stateFacts: { readonly [fact: string]: StateName } = {
  isclean: 'clean',
  ishot: 'hot',
  iscool: 'cool',
  issliced: 'sliced',
};
const bitFacts: { readonly [fact: string]: number } = {
  cleanable: objectBits.cleanable,
  heatable: objectBits.heatable,
  coolable: objectBits.coolable,
  sliceable: objectBits.sliceable,
};

/** A fact of a goal: its name and its words. */
interface Fact {
  name: string;
  args: string[];
}

interface Flat {
  facts: Fact[];
  /** Pairs of variables that must differ. */
  different: string[][];
}

const refuse = (goal: Expression): never => {
  throw new WorldError(`The game's goal is not known to the household: ${expressionText(goal).slice(0, 300)}.`);
};

function flatten(expression: Expression, into: Flat): void {
  const head = headOf(expression);
  const parts = expression as Expression[];
  if (head === 'exists') flatten(parts[2], into);
  else if (head === 'and') for (const part of parts.slice(1)) flatten(part, into);
  else if (head === 'not' && headOf(parts[1]) === '=') into.different.push((parts[1] as string[]).slice(1));
  else if (
    head &&
    parts.every((part) => typeof part === 'string') &&
    !['not', 'or', 'forall', 'imply', '='].includes(head)
  )
    into.facts.push({ name: head, args: (parts as string[]).slice(1) });
  else refuse(expression);
}

const kindOfType = (type: string) => type.replace(/type$/, '');

/** Removes the facts of a name and returns their words. */
function take(facts: Fact[], name: string): string[][] {
  const found = facts.filter((fact) => fact.name === name);
  for (const fact of found) facts.splice(facts.indexOf(fact), 1);
  return found.map(({ args }) => args);
}

const texts = (rows: readonly (readonly string[])[]) => [...new Set(rows.map((row) => row.join(' ')))];

/** Objects of a kind in a receptacle of a kind, in a state. */
function readPlace({ facts, different }: Flat, goal: Expression): Clause {
  const inside = take(facts, 'inreceptacle');
  const objects = inside.map(([object]) => object);
  const [, receptacle] = inside[0];
  const kinds = texts(
    take(facts, 'objecttype').map(([object, type]) => [objects.includes(object) ? '' : object, type]),
  );
  const places = texts(take(facts, 'receptacletype'));
  /** True if the goal states the fact of its object. */
  const isAsked = (fact: string) => {
    const rows = take(facts, fact);
    if (rows.some(([object]) => object !== objects[0])) refuse(goal);
    return rows.length > 0;
  };
  const states = Object.entries(stateFacts).flatMap(([fact, state]) => (isAsked(fact) ? [state] : []));
  const bits = Object.entries(bitFacts).reduce((sum, [fact, bit]) => sum + (isAsked(fact) ? bit : 0), 0);
  const two =
    objects.length === 2 && different.length === 1 && [...different[0]].sort().join() === [...objects].sort().join();
  const known =
    (two || (objects.length === 1 && !different.length)) &&
    inside.every(([, place]) => place === receptacle) &&
    kinds.length === 1 &&
    kinds[0].startsWith(' ') &&
    places.length === 1 &&
    places[0].startsWith(`${receptacle} `) &&
    !facts.length &&
    !(two && (states.length || bits));
  if (!known) return refuse(goal);
  const [object, place] = [kinds[0].trim(), places[0].split(' ')[1]].map(kindOfType);
  return { type: 'place', object, receptacle: place, count: two ? 2 : 1, states, bits };
}

/** A lamp that is on where the agent is. */
function readLight({ facts, different }: Flat, goal: Expression): Clause {
  const [[lamp]] = take(facts, 'istoggled');
  const [[, type]] = [...take(facts, 'objecttype'), ['', '']];
  const toggleable = take(facts, 'toggleable');
  const agentAt = take(facts, 'atlocation');
  const lying = take(facts, 'objectatlocation');
  const standing = take(facts, 'receptacleatlocation');
  const inside = take(facts, 'inreceptacle');
  const place = agentAt[0]?.[1];
  const byReceptacle =
    standing.length === 1 &&
    inside.length === 1 &&
    standing[0][1] === place &&
    texts(inside)[0] === `${lamp} ${standing[0][0]}`;
  const byPlace = lying.length === 1 && !standing.length && !inside.length && texts(lying)[0] === `${lamp} ${place}`;
  const known = type && toggleable.length <= 1 && agentAt.length === 1 && !facts.length && !different.length;
  if (!known || !(byReceptacle || byPlace)) return refuse(goal);
  return { type: 'light', object: kindOfType(type), lying: byPlace };
}

function readHold({ facts, different }: Flat, goal: Expression): Clause {
  const [[, object]] = take(facts, 'holds');
  const types = take(facts, 'objecttype');
  if (types.length !== 1 || types[0][0] !== object || facts.length || different.length) return refuse(goal);
  return { type: 'hold', object: kindOfType(types[0][1]) };
}

function readClause(goal: Expression): Clause {
  const flat: Flat = { facts: [], different: [] };
  flatten(goal, flat);
  const has = (name: string) => flat.facts.some((fact) => fact.name === name);
  if (has('istoggled')) return readLight(flat, goal);
  if (has('holds')) return readHold(flat, goal);
  return has('inreceptacle') ? readPlace(flat, goal) : refuse(goal);
}

/** Clauses of a goal. Throws if it asks for anything else. */
export function readGoal(goal: Expression): Clause[] {
  const parts = headOf(goal) === 'and' ? (goal as Expression[]).slice(1) : [goal];
  if (!parts.length) refuse(goal);
  return parts.map(readClause);
}

// --- writing ----------------------------------------------------------------------------------------------------------

function writePlace({ object, receptacle, count, states, bits }: Extract<Clause, { type: 'place' }>): string {
  const fixed = Object.entries(bitFacts).flatMap(([fact, bit]) => (bits & bit ? [`(${fact} ?o)`] : []));
  const changed = Object.entries(stateFacts).flatMap(([fact, state]) =>
    states.includes(state) ? [`(${fact} ?o)`] : [],
  );
  const one = (name: string) => `(objectType ${name} ${object}Type) (receptacleType ?r ${receptacle}Type)`;
  const facts =
    count === 1
      ? `${[...fixed, one('?o'), ...changed].join(' ')} (inReceptacle ?o ?r)`
      : `${one('?o')} (inReceptacle ?o ?r) (exists (?o2 - object) (and (not (= ?o ?o2)) ${one('?o2')} (inReceptacle ?o2 ?r)))`;
  return `(exists (?r - receptacle) (exists (?o - object) (and ${facts})))`;
}

function writeClause(clause: Clause): string {
  if (clause.type === 'place') return writePlace(clause);
  if (clause.type === 'hold')
    return `(exists (?o - object ?a - agent) (and (objectType ?o ${clause.object}Type) (holds ?a ?o)))`;
  const where = clause.lying
    ? '(objectAtLocation ?ot ?l) (atLocation ?a ?l)'
    : '(receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?ot ?r)';
  const receptacle = clause.lying ? '' : ' ?r - receptacle';
  return `(exists (?ot - object${receptacle} ?a - agent ?l - location) (and (objectType ?ot ${clause.object}Type) (toggleable ?ot) (isToggled ?ot) ${where}))`;
}

export const writeGoal = (goal: readonly Clause[]): string => `(and ${goal.map(writeClause).join(' ')})`;
