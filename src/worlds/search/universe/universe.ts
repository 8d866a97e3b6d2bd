/**
 * A universe: people, towns, regions, organisations and works, and facts about them, made from a seed. The idea of
 * asking about a world that nobody can have read about is PhantomWiki's (Gong et al., arXiv 2502.20377); this generator
 * is our own. Handles relations, not sentences or questions.
 */

import { Random } from '../../../envs/random.ts';
import { Namer, occupations } from './names.ts';
import { type Kind, kinds, type Relation, relations } from './relations.ts';

export interface Entity {
  index: number;
  kind: Kind;
  name: string;
  pronoun: 'It' | 'She' | 'He';
}

/** A fact about a subject: its relation to an entity (by index) or to a plain value. */
export interface Fact {
  relation: Relation;
  object: number | string;
}

export interface UniverseSize {
  /** Number of articles, one for each entity. */
  articles: number;
  /** Maximum number of facts in an article. */
  facts: number;
  /** Percentage of each kind; absent: Search's. */
  shares?: Shares;
}

export interface Universe {
  seed: number;
  entities: Entity[];
  /** Facts in the article of each entity, in the order of the relations. */
  facts: Fact[][];
}

/** Percentage of each kind among the articles; all others are people. */
export type Shares = { readonly [kind in Exclude<Kind, 'person'>]: number };
const searchShares: Shares = { region: 5, town: 20, organisation: 15, work: 20 };

/** Percentage of people who are married, had a teacher, have an employer. All other relations always hold. */
const frequencies: { [relation: string]: number } = { spouse: 50, teacher: 60, employer: 70 };

const mostStudents = 3;
const mostWorks = 3;

function makeEntities(random: Random, articles: number, shares: Shares): Entity[] {
  const count = (kind: keyof Shares) => Math.max(1, Math.floor((articles * shares[kind]) / 100));
  const order: Kind[] = (Object.keys(shares) as (keyof Shares)[]).flatMap((kind) =>
    new Array<Kind>(count(kind)).fill(kind),
  );
  while (order.length < articles) order.push('person');
  const namer = new Namer(random, articles);
  for (const kind of kinds) namer.prepare(kind, order.filter((each) => each === kind).length);
  return order.map((kind, index) => ({ index, kind, ...namer.name(kind) }));
}

/** Draws the facts of all entities and keeps track of who can still marry, teach or create a work. */
class FactDrawer {
  readonly facts: Map<string, Fact>[];
  private readonly byKind = new Map<Kind, number[]>();

  constructor(
    private readonly random: Random,
    private readonly entities: readonly Entity[],
  ) {
    this.facts = entities.map(() => new Map());
    for (const { kind, index } of entities) {
      const list = this.byKind.get(kind) ?? [];
      list.push(index);
      this.byKind.set(kind, list);
    }
  }

  /** Objects of relations with several objects, by relation and subject. */
  readonly lists = new Map<string, Map<number, number[]>>();

  drawAll(): void {
    for (const relation of relations) {
      if (relation.many) continue;
      for (const kind of relation.subjects) for (const index of this.byKind.get(kind)!) this.drawFact(relation, index);
    }
  }

  private drawFact(relation: Relation, subject: number): void {
    if (!this.random.chance(frequencies[relation.id] ?? 100)) return;
    const object = this.draw(relation, subject);
    if (object === null) return;
    this.set(subject, relation, object);
    if (relation.id === 'spouse') this.set(object as number, relation, subject);
    if (relation.id === 'teacher') this.listOf('students', object as number).push(subject);
    if (relation.id === 'creator') this.listOf('works', object as number).push(subject);
  }

  private draw({ id, object }: Relation, subject: number): number | string | null {
    if (object === 'occupation') return this.random.pick(occupations);
    if (object === 'year') return String(this.random.between(1000, 1899));
    if (object === 'count') return String(this.random.between(2, 999) * 100);
    const candidates = this.byKind.get(object)!;
    if (id === 'capital') return this.byKind.get('town')![this.ordinal(subject)];
    if (id === 'region' && this.ordinal(subject) < candidates.length) return candidates[this.ordinal(subject)];
    for (let attempt = 0; attempt < 20; attempt++) {
      const drawn = this.random.pick(candidates);
      if (drawn !== subject && this.fits(id, drawn, subject)) return drawn;
    }
    return null;
  }

  private fits(relation: string, object: number, subject: number): boolean {
    if (relation === 'spouse') return !this.facts[object].has('spouse') && !this.facts[subject].has('spouse');
    if (relation === 'teacher')
      return (
        this.listOf('students', object).length < mostStudents && !this.listOf('students', subject).includes(object)
      );
    if (relation === 'creator') return this.listOf('works', object).length < mostWorks;
    return true;
  }

  /**
   * Index of an entity among those of its kind. The first towns are the capitals, one for each region, and lie in it.
   */
  private ordinal(index: number): number {
    return index - this.byKind.get(this.entities[index].kind)![0];
  }

  private set(subject: number, relation: Relation, object: number | string): void {
    this.facts[subject].set(relation.id, { relation, object });
  }

  listOf(relation: string, subject: number): number[] {
    let lists = this.lists.get(relation);
    if (!lists) {
      lists = new Map();
      this.lists.set(relation, lists);
    }
    let list = lists.get(subject);
    if (!list) {
      list = [];
      lists.set(subject, list);
    }
    return list;
  }
}

/**
 * Facts in an entity's article: all that were drawn, or a random choice of `most` of them. A list of works counts as
 * one.
 */
function chooseFacts(drawer: FactDrawer, entity: Entity, most: number, random: Random): Fact[] {
  const own = relations.filter(({ subjects }) => subjects.includes(entity.kind));
  const drawn = own.map((relation): Fact[] => {
    if (!relation.many) return [drawer.facts[entity.index].get(relation.id)].filter((fact) => fact !== undefined);
    return (drawer.lists.get(relation.id)?.get(entity.index) ?? []).map((object) => ({ relation, object }));
  });
  const filled = drawn.filter((facts) => facts.length > 0);
  const kept = new Set(random.shuffle([...filled.keys()]).slice(0, most));
  return filled.filter((_, k) => kept.has(k)).flat();
}

/** Makes the universe of a seed and size; the result depends only on these. */
export function makeUniverse(seed: number, { articles, facts, shares = searchShares }: UniverseSize): Universe {
  const random = new Random(seed);
  const entities = makeEntities(random, articles, shares);
  const drawer = new FactDrawer(random, entities);
  drawer.drawAll();
  return { seed, entities, facts: entities.map((entity) => chooseFacts(drawer, entity, facts, random)) };
}
