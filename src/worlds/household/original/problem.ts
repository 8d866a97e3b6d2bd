/** Problems in PDDL: read as a house, and written from one. */
import { WorldError } from '../../../envs/env.ts';
import {
  type Clause,
  type House,
  mostThings,
  objectBits,
  type Receptacle,
  type StateName,
  stateBits,
  type Thing,
} from '../house.ts';
import { knownPredicates } from './domain.ts';
import { type Expression, expressionText, headOf, parseExpression, sectionOf } from './expressions.ts';
import { readGoal, writeGoal } from './goal.ts';

const bitFacts: readonly (readonly [fact: string, bit: number])[] = [
  ['pickupable', objectBits.pickupable],
  ['cleanable', objectBits.cleanable],
  ['heatable', objectBits.heatable],
  ['coolable', objectBits.coolable],
  ['toggleable', objectBits.toggleable],
  ['sliceable', objectBits.sliceable],
  ['isreceptacleobject', objectBits.isReceptacle],
];
const stateFacts: readonly (readonly [fact: string, state: StateName])[] = [
  ['isclean', 'clean'],
  ['ishot', 'hot'],
  ['iscool', 'cool'],
  ['issliced', 'sliced'],
  ['istoggled', 'toggled'],
];
const knives = ['knife', 'butterknife'];
const types = ['agent', 'location', 'receptacle', 'object', 'rtype', 'otype'];

/** Facts of a problem by predicate, each as its words. */
type Facts = Map<string, string[][]>;

/** Types of the declared names: `a b - type c - type`. */
function readNames(list: readonly Expression[]): Map<string, string> {
  const found = new Map<string, string>();
  let waiting: string[] = [];
  for (let k = 0; k < list.length; k++) {
    const word = list[k];
    if (typeof word !== 'string')
      throw new WorldError(`The game's problem declares ${expressionText(word)}, which is no name.`);
    if (word !== '-') {
      waiting.push(word);
      continue;
    }
    const type = String(list[++k]);
    if (!types.includes(type))
      throw new WorldError(`The game's problem has things of type "${type}", which is not known.`);
    for (const name of waiting) found.set(name, type);
    waiting = [];
  }
  for (const name of waiting) found.set(name, 'object');
  return found;
}

function readFacts(list: readonly Expression[], names: ReadonlyMap<string, string>): Facts {
  const facts: Facts = new Map();
  for (const fact of list) {
    const name = headOf(fact);
    if (name === '=') continue;
    const args = (fact as Expression[]).slice(1);
    const expected = Object.hasOwn(knownPredicates, name) ? knownPredicates[name] : null;
    const fits =
      expected?.length === args.length &&
      args.every((arg, k) => names.get(String(arg)) === expected[k] || (name === 'checked' && names.has(String(arg))));
    if (!fits) throw new WorldError(`The game's problem states ${expressionText(fact)}, which is not known.`);
    facts.set(name, [...(facts.get(name) ?? []), args as string[]]);
  }
  return facts;
}

/** Second words of a predicate's facts, by the first word. */
function pairsOf(facts: Facts, predicate: string): Map<string, string[]> {
  const pairs = new Map<string, string[]>();
  for (const [first, second] of facts.get(predicate) ?? []) pairs.set(first, [...(pairs.get(first) ?? []), second]);
  return pairs;
}

/** The only second word, or null. */
function only(pairs: Map<string, string[]>, id: string, what: string): string | null {
  const found = [...new Set(pairs.get(id) ?? [])];
  if (found.length > 1) throw new WorldError(`The game's problem gives ${id} several ${what}: ${found.join(', ')}.`);
  return found[0] ?? null;
}

const kindOfType = (type: string | null): string | null => type?.replace(/type$/, '') ?? null;

/** Names of a type that the facts mention, in order. */
function mentioned(facts: Facts, names: ReadonlyMap<string, string>, type: string): string[] {
  const all = [...facts.values()].flat(2).filter((name) => names.get(name) === type);
  return [...new Set(all)].sort();
}

const has = (facts: Facts, predicate: string, id: string) =>
  (facts.get(predicate) ?? []).some(([first]) => first === id);

function refuseHeld(facts: Facts): void {
  for (const predicate of ['holds', 'holdsany'])
    if (facts.has(predicate))
      throw new WorldError(`The game begins with ${predicate}, and the household only with empty hands.`);
}

/** Index of a name in a list. */
const indexIn = (list: readonly string[]) => {
  const indices = new Map(list.map((name, k) => [name, k]));
  return (name: string): number => indices.get(name)!;
};

function readObjects(
  facts: Facts,
  ids: readonly string[],
  receptacles: readonly string[],
  places: readonly string[],
): Thing[] {
  const kinds = pairsOf(facts, 'objecttype');
  const [inside, lying, within] = ['inreceptacle', 'objectatlocation', 'inreceptacleobject'].map((each) =>
    pairsOf(facts, each),
  );
  const [receptacle, place, object] = [receptacles, places, ids].map(indexIn);
  const sum = <T extends string>(
    facts_: readonly (readonly [string, T | number])[],
    id: string,
    value: (of: T | number) => number,
  ) => facts_.reduce((total, [fact, of]) => total + (has(facts, fact, id) ? value(of) : 0), 0);
  return ids.map((id) => {
    const kind = kindOfType(only(kinds, id, 'types'));
    return {
      id,
      kind,
      bits: sum(bitFacts, id, Number) + (kind && knives.includes(kind) ? objectBits.knife : 0),
      state: sum(stateFacts, id, (name) => stateBits[name as StateName]),
      inside: (inside.get(id) ?? []).map(receptacle),
      lying: (lying.get(id) ?? []).map(place),
      within: (within.get(id) ?? []).map(object),
    };
  });
}

function readReceptacles(facts: Facts, ids: readonly string[], places: readonly string[]): Receptacle[] {
  const [kinds, stands] = [pairsOf(facts, 'receptacletype'), pairsOf(facts, 'receptacleatlocation')];
  const place = indexIn(places);
  return ids.map((id) => {
    const at = only(stands, id, 'locations');
    return {
      id,
      kind: kindOfType(only(kinds, id, 'types')),
      openable: has(facts, 'openable', id),
      opened: has(facts, 'opened', id),
      location: at === null ? null : place(at),
    };
  });
}

/** The house of a problem; its task comes from the grammar. Throws with the name of what is not known. */
export function readProblem(text: string, task: string): House {
  const parts = parseExpression(text, 'problem');
  const names = readNames(sectionOf(parts, ':objects') ?? []);
  const facts = readFacts(sectionOf(parts, ':init') ?? [], names);
  refuseHeld(facts);
  const ids = (type: string) => mentioned(facts, names, type);
  const [receptacles, objects, locations] = ['receptacle', 'object', 'location'].map(ids);
  for (const list of [receptacles, objects, locations])
    if (list.length > mostThings)
      throw new WorldError(`The game has ${list.length} things of a type, and ${mostThings} is the most.`);
  const agents = facts.get('atlocation') ?? [];
  if (agents.length !== 1)
    throw new WorldError(`The game has ${agents.length} agents with a location, and the household has one.`);
  const [goal] = sectionOf(parts, ':goal') ?? [];
  if (goal === undefined) throw new WorldError("The game's problem has no goal.");
  const contains = new Map<string, Set<string>>();
  for (const [receptacle, object] of (facts.get('cancontain') ?? []).map((pair) => pair.map(kindOfType) as string[]))
    contains.set(receptacle, (contains.get(receptacle) ?? new Set()).add(object));
  return {
    receptacles: readReceptacles(facts, receptacles, locations),
    objects: readObjects(facts, objects, receptacles, locations),
    locations,
    agent: locations.indexOf(agents[0][1]),
    contains,
    goal: readGoal(goal),
    task,
  };
}

// --- writing ----------------------------------------------------------------------------------------------------------

function declarations({ receptacles, objects, locations, goal }: House): string[] {
  const kinds = (clause: Clause) => (clause.type === 'place' ? [clause.receptacle] : []);
  const rtypes = new Set([...receptacles.map(({ kind }) => kind!), ...goal.flatMap(kinds)]);
  const otypes = new Set([...objects.map(({ kind }) => kind!), ...goal.map(({ object }) => object), ...knives]);
  for (const each of ['sinkbasin', 'microwave', 'fridge']) rtypes.add(each);
  const lines = (ids: Iterable<string>, type: string) => [...ids].map((id) => `${id} - ${type}`);
  return [
    'agent1 - agent',
    ...lines(
      [...otypes].map((kind) => `${kind}Type`),
      'otype',
    ),
    ...lines(
      [...rtypes].map((kind) => `${kind}Type`),
      'rtype',
    ),
    ...lines(
      objects.map(({ id }) => id),
      'object',
    ),
    ...lines(
      receptacles.map(({ id }) => id),
      'receptacle',
    ),
    ...lines(locations, 'location'),
  ];
}

function objectFacts(thing: Thing, { receptacles, objects, locations }: House): string[] {
  const { id, kind, bits, state } = thing;
  return [
    `objectType ${id} ${kind}Type`,
    ...bitFacts.flatMap(([fact, bit]) => (bits & bit ? [`${fact} ${id}`] : [])),
    ...stateFacts.flatMap(([fact, name]) => (state & stateBits[name] ? [`${fact} ${id}`] : [])),
    ...thing.inside.map((r) => `inReceptacle ${id} ${receptacles[r].id}`),
    ...thing.within.map((outer) => `inReceptacleObject ${id} ${objects[outer].id}`),
    ...thing.lying.map((place) => `objectAtLocation ${id} ${locations[place]}`),
  ];
}

function receptacleFacts({ id, kind, openable, opened, location }: Receptacle, { locations }: House): string[] {
  return [
    `receptacleType ${id} ${kind}Type`,
    ...(openable ? [`openable ${id}`] : []),
    ...(opened ? [`opened ${id}`] : []),
    ...(location === null ? [] : [`receptacleAtLocation ${id} ${locations[location]}`]),
  ];
}

/** Facts of the kinds in the house: a receptacle's kind can contain an object's kind. */
function containFacts({ receptacles, objects, contains }: House): string[] {
  const present = new Set(objects.map(({ kind }) => kind));
  return [...new Set(receptacles.map(({ kind }) => kind))].flatMap((kind) =>
    [...(contains.get(kind ?? '') ?? [])]
      .filter((each) => present.has(each))
      .map((each) => `canContain ${kind}Type ${each}Type`),
  );
}

/** A house as a problem of ALFWorld's domain. */
export function writeProblem(house: House): string {
  const facts = [
    `atLocation agent1 ${house.locations[house.agent]}`,
    ...house.receptacles.flatMap((each) => receptacleFacts(each, house)),
    ...house.objects.flatMap((each) => objectFacts(each, house)),
    ...containFacts(house),
  ];
  const indented = (lines: readonly string[]) => lines.map((line) => `    ${line}`).join('\n');
  return `(define (problem household)
  (:domain alfred)
  (:objects
${indented(declarations(house))})
  (:init
${indented(facts.map((fact) => `(${fact})`))})
  (:goal ${writeGoal(house.goal)})
)
`;
}
