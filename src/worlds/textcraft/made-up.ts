/**
 * Training lists of recipes that TextCraft does not have: either generated from a seed with the words of its items, or
 * one of the world's own lists with another goal that it can make. Episodes on these lists are played here, by the
 * world's rules (envs-wasm/textcraft), and only for training; published evaluations are played by the world itself.
 */
import type { Feedback } from '../../envs/env.ts';
import { Draws } from './draws.ts';
import { CraftOracle, isKind, kindOf, kindWords } from './oracle.ts';
import {
  actionsOfList,
  type Ingredient,
  type Recipe,
  type RecipeList,
  readCommand,
  writeRecipeList,
} from './recipe-list.ts';

/** Distributions of a generated list, as pairs of a value and its weight, close to those of the world's own recipes. */
const depths = [
  [1, 25],
  [2, 43],
  [3, 27],
  [4, 5],
] as const;
const inputsOf = [
  [1, 50],
  [2, 38],
  [3, 12],
] as const;
const amounts = [
  [1, 45],
  [2, 12],
  [3, 12],
  [4, 9],
  [5, 3],
  [6, 8],
  [8, 7],
  [9, 4],
] as const;
const yields = [
  [1, 55],
  [2, 8],
  [3, 10],
  [4, 12],
  [6, 5],
  [8, 6],
  [16, 4],
] as const;
const lengths = [
  [1, 25],
  [2, 55],
  [3, 20],
] as const;
const distractors = [0, 0, 1, 2, 3, 4, 5, 6, 8, 10] as const;
/** Share of lists in which some recipes require a kind of thing, such as "planks". */
const kindShare = 0.25;

/** Source of names for the things of a list. */
interface Namer {
  name(): string;
  /** Name of a thing of this kind, in place of `name`. */
  ofKind(name: string, kind: string): string;
}

/** Generates names of one to three words. Many share their first or last word, as in the world's own names. */
class WordNamer implements Namer {
  private readonly shared: string[];

  constructor(
    private readonly words: readonly string[],
    private readonly draws: Draws,
  ) {
    this.shared = Array.from({ length: 3 + draws.below(6) }, () => draws.pick(words));
  }

  name(): string {
    for (;;) {
      const words = Array.from({ length: this.draws.weighted(lengths) }, () => this.draws.pick(this.words));
      if (words.length > 1 && this.draws.next() < 0.7) words[words.length - 1] = this.draws.pick(this.shared);
      if (words.length > 1 && this.draws.next() < 0.4) words[0] = this.draws.pick(this.shared);
      if (new Set(words).size === words.length) return words.join(' ');
    }
  }

  ofKind(name: string, kind: string): string {
    return `${name.split(' ')[0]} ${kind}`;
  }
}

/** Takes the names of the world's own things. */
class WholeNamer implements Namer {
  constructor(
    private readonly names: readonly string[],
    private readonly draws: Draws,
  ) {}

  name(): string {
    for (;;) {
      const name = this.draws.pick(this.names);
      if (!isKind(name) && kindOf(name) === null) return name;
    }
  }

  ofKind(_name: string, kind: string): string {
    return this.draws.pick(this.names.filter((name) => kindOf(name) === kind));
  }
}

/** Words and names that generated lists use. */
export interface Vocabulary {
  words: readonly string[];
  /** If not empty, whole names are used instead of words. */
  names: readonly string[];
}

class ListGenerator {
  private readonly draws: Draws;
  private readonly namer: Namer;
  private readonly names = new Set<string>();
  private readonly byDepth: string[][] = [[], [], [], [], []];
  readonly recipes: Recipe[] = [];

  constructor({ words, names }: Vocabulary, seed: number) {
    this.draws = new Draws(seed);
    this.namer = names.length > 0 ? new WholeNamer(names, this.draws) : new WordNamer(words, this.draws);
  }

  /** Makes the list; the goal's own recipes are made first, then distractors are added. */
  make(): RecipeList {
    const { draws } = this;
    const goal = this.item(draws.weighted(depths));
    const count = draws.pick(distractors);
    for (let i = 0; i < count; i++) this.addDistractor();
    if (draws.next() < kindShare) this.askByKind();
    return { recipes: draws.shuffled(this.recipes), goal };
  }

  private name(): string {
    for (;;) {
      const name = this.namer.name();
      if (this.names.has(name)) continue;
      this.names.add(name);
      return name;
    }
  }

  private fetchable(): string {
    const known = this.byDepth[0];
    if (known.length > 0 && this.draws.next() < 0.25) return this.draws.pick(known);
    known.push(this.name());
    return known[known.length - 1];
  }

  private item(depth: number): string {
    const known = this.byDepth[depth];
    if (depth === 0) return this.fetchable();
    if (known.length > 0 && this.draws.next() < 0.3) return this.draws.pick(known);
    const name = this.name();
    const ways = this.draws.next() < (depth === 1 ? 0.25 : 0.1) ? 2 : 1;
    for (let way = 0; way < ways; way++) this.addRecipe(name, way === 0 ? depth - 1 : this.draws.below(depth), depth);
    known.push(name);
    return name;
  }

  private addRecipe(name: string, first: number, depth: number): void {
    const inputs: Ingredient[] = [];
    const count = this.draws.weighted(inputsOf);
    for (let i = 0; i < count; i++) {
      const other = this.draws.next() < 0.7 ? 0 : this.draws.below(depth);
      const input = this.item(i === 0 ? first : other);
      if (input !== name && !inputs.some((each) => each.name === input))
        inputs.push({ count: this.draws.weighted(amounts), name: input });
    }
    if (inputs.length > 0)
      this.recipes.push({ makes: this.draws.weighted(yields), name, inputs: this.draws.shuffled(inputs) });
  }

  /** Adds a recipe that shares an ingredient with the recipes made so far, and often a word. */
  private addDistractor(): void {
    const { draws } = this;
    const shared = draws.pick(draws.pick(this.recipes).inputs).name;
    const inputs: Ingredient[] = [{ count: draws.weighted(amounts), name: shared }];
    if (draws.next() < 0.4) {
      const name = draws.next() < 0.4 ? draws.pick(draws.pick(this.recipes).inputs).name : this.name();
      if (name !== shared) inputs.push({ count: draws.weighted(amounts), name });
    }
    const makes = draws.weighted(yields);
    // Sometimes this is another recipe for something already made, which may form a cycle.
    const name = draws.next() < 0.08 ? draws.pick(this.recipes).name : this.name();
    if (inputs.every((each) => each.name !== name)) this.recipes.push({ makes, name, inputs: draws.shuffled(inputs) });
  }

  /** Renames some crafted things to things of one kind, and makes some recipes require the kind. */
  private askByKind(): void {
    const { draws } = this;
    const kind = draws.pick(kindWords);
    const made = draws.shuffled([...new Set(this.recipes.map(({ name }) => name))]).slice(0, 1 + draws.below(4));
    const renamed = new Map(made.map((name) => [name, this.namer.ofKind(name, kind)]));
    if (new Set(renamed.values()).size < renamed.size) return;
    const rename = (name: string) => renamed.get(name) ?? name;
    const asked = new Set([...renamed.values()].filter(() => draws.next() < 0.7));
    this.recipes.forEach(({ makes, name, inputs }, i) => {
      const other = inputs.map((input) => ({ count: input.count, name: rename(input.name) }));
      const asking = other.map((input) => (asked.has(input.name) ? { count: input.count, name: kind } : input));
      const twice = new Set(asking.map((input) => input.name)).size < asking.length;
      this.recipes[i] = { makes, name: rename(name), inputs: twice ? other : asking };
    });
    this.renamedGoal = rename;
  }

  renamedGoal = (name: string) => name;
}

/** Minimum number of crafts in a chain that makes each thing of the list. */
function depthsOf(recipes: readonly Recipe[]): Map<string, number> {
  const made = new Set(recipes.map(({ name }) => name));
  const depths = new Map<string, number>();
  const depthOf = (name: string) => depths.get(name) ?? (made.has(name) ? Infinity : 0);
  for (let changed = true; changed; ) {
    changed = false;
    for (const { name, inputs } of recipes) {
      const depth = 1 + Math.max(...inputs.map((input) => depthOf(input.name)));
      if (depth >= depthOf(name)) continue;
      depths.set(name, depth);
      changed = true;
    }
  }
  return depths;
}

/**
 * Weight of a goal relative to one that needs one craft less. Most things of a list need only one craft, so deep ones
 * are favoured.
 */
const depthFactor = 3;

/** Key of the order of a list's further goals. */
const askedSeed = 0x61736b;
/** Maximum number of turns of a plan that is read for its parts. */
const mostTurnsOfPlan = 60;

/** The list's things except its goal, each once, in a random order that favours deep ones. */
function* otherGoals({ recipes, goal }: RecipeList, draws: Draws): Generator<string> {
  const left = [...depthsOf(recipes)]
    .filter(([name]) => name !== goal)
    .map(([name, depth]) => [name, depthFactor ** depth] as const);
  while (left.length > 0) {
    const name = draws.weighted(left);
    left.splice(
      left.findIndex(([each]) => each === name),
      1,
    );
    yield name;
  }
}

/**
 * Goal number `member` of a list: first its own goal, then other things it makes, in an order that depends on the seed.
 */
function goalOfMember(list: RecipeList, seed: number, member: number, isAllowed: (name: string) => boolean) {
  const { recipes, goal } = list;
  if (member === 0) return goal;
  const asked = [goal];
  for (const name of otherGoals(list, new Draws(seed ^ askedSeed))) {
    if (!isAllowed(name) || !new CraftOracle({ recipes, goal: name }).next()) continue;
    if (asked.push(name) > member) return name;
  }
  return asked[member % asked.length];
}

/** A thing that must be crafted on the way to a list's goal, as a goal of the list. */
export interface PartOfList {
  /** Number of the goal among those of the list. */
  asked: number;
  depth: number;
}

/** Things that the oracle crafts before the goal, in its order; those that are not allowed as goals are left out. */
function partsOf(list: RecipeList, base: RecipeList, seed: number, isAllowed: (name: string) => boolean): PartOfList[] {
  const crafted = craftedBefore(list);
  if (crafted.length === 0) return [];
  const depths = depthsOf(list.recipes);
  const goals = [base.goal, ...otherGoals(base, new Draws(seed ^ askedSeed))].filter(
    (name, i) => i === 0 || (isAllowed(name) && new CraftOracle({ ...base, goal: name }).next() !== null),
  );
  return crafted.flatMap((name) => {
    const asked = goals.indexOf(name);
    return asked > 0 ? [{ asked, depth: depths.get(name) ?? 0 }] : [];
  });
}

/** Things that a plan of the oracle crafts before the goal, in its order. */
function craftedBefore(list: RecipeList): string[] {
  const world = new ListWorld(list);
  const oracle = new CraftOracle(list);
  const crafted = new Set<string>();
  for (let advice = oracle.next(), turn = 0; advice && turn < mostTurnsOfPlan; advice = oracle.next(), turn++) {
    const { valid, done } = world.step(advice.action);
    if (done) break;
    const recipe = readCommand(advice.action);
    if (valid && recipe) crafted.add(recipe.name);
    oracle.record(advice.action, valid);
  }
  crafted.delete(list.goal);
  return [...crafted];
}

/** Parts on the way to goal number `member` of a generated list. */
export function partsOfMadeUp(vocabulary: Vocabulary, seed: number, member: number): PartOfList[] {
  const base = madeUpList(vocabulary, seed, 0);
  return partsOf(madeUpList(vocabulary, seed, member), base, seed, () => true);
}

/** Parts on the way to goal number `member` of one of the world's own lists. */
export const partsOfOwn = (
  base: RecipeList,
  seed: number,
  member: number,
  isAllowed: (name: string) => boolean,
): PartOfList[] => partsOf(withOtherGoal(base, seed, member, isAllowed), base, seed, isAllowed);

/** The generated list of a seed, with its goal number `member`. */
export function madeUpList(vocabulary: Vocabulary, seed: number, member: number): RecipeList {
  const maker = new ListGenerator(vocabulary, seed);
  const made = maker.make();
  const list = { ...made, goal: maker.renamedGoal(made.goal) };
  return { ...list, goal: goalOfMember(list, seed, member, () => true) };
}

/** One of the world's own lists with its goal number `member`; `isAllowed` excludes the goals of other splits. */
export const withOtherGoal = (
  list: RecipeList,
  seed: number,
  member: number,
  isAllowed: (name: string) => boolean,
): RecipeList => ({ ...list, goal: goalOfMember(list, seed, member, isAllowed) });

const underscored = (name: string) => `minecraft:${name.replaceAll(' ', '_')}`;
const accepted = (observation: string, done = false): Feedback => ({
  observation,
  reward: done ? 1 : 0,
  done,
  valid: true,
  validActions: null,
});
const refused = (observation: string): Feedback => ({
  observation,
  reward: 0,
  done: false,
  valid: false,
  validActions: null,
});

/** An episode on a list. */
export class ListWorld {
  private readonly carried = new Map<string, number>();
  private readonly made: ReadonlySet<string>;

  constructor(readonly list: RecipeList) {
    this.made = new Set(list.recipes.map(({ name }) => name));
  }

  begin(): Feedback {
    return { ...accepted(writeRecipeList(this.list)), validActions: actionsOfList(this.list) };
  }

  step(action: string): Feedback {
    const [, count, name] = /^get (\d+) (.+)$/.exec(action) ?? [];
    if (name !== undefined) return this.get(Number(count), name);
    if (action.startsWith('inventory')) return this.show();
    const crafted = readCommand(action);
    return crafted ? this.craft(crafted) : refused(`Could not execute ${action}`);
  }

  private get(count: number, name: string): Feedback {
    const shown = this.list.recipes.some(({ inputs }) => inputs.some((input) => input.name === name));
    if (!shown || isKind(name) || this.made.has(name)) return refused(`Could not find ${name}`);
    this.add(name, count);
    return accepted(`Got ${count} ${name}`);
  }

  private show(): Feedback {
    const carried = [...this.carried].filter(([, count]) => count > 0).map(([name, count]) => `[${name}] (${count}) `);
    return accepted(`Inventory: ${carried.join('') || 'You are not carrying anything.'}`);
  }

  private add(name: string, count: number): void {
    this.carried.set(name, (this.carried.get(name) ?? 0) + count);
  }

  private craft({ makes, name, inputs }: Recipe): Feedback {
    if (inputs.some((input) => (this.carried.get(input.name) ?? 0) < input.count))
      return refused(`Could not find enough items to craft ${underscored(name)}`);
    const recipe = this.list.recipes.find((each) => each.name === name && matchesRecipe(each, inputs));
    if (!recipe)
      return refused(
        `Could not find a valid recipe for ItemTagWithCount(item_tag=ItemTag(tag=None, item_id='${underscored(name)}'), count=${makes})`,
      );
    for (const input of inputs) this.add(input.name, -input.count);
    this.add(name, recipe.makes);
    return accepted(`Crafted ${recipe.makes} ${underscored(name)}`, name === this.list.goal);
  }
}

const meets = (given: Ingredient, asked: Ingredient) =>
  given.count === asked.count && (given.name === asked.name || kindOf(given.name) === asked.name);

/** True if the given ingredients match the recipe's, in any order. */
function matchesRecipe({ inputs }: Recipe, given: readonly Ingredient[]): boolean {
  const left = [...given];
  for (const asked of inputs) {
    const at = left.findIndex((each) => meets(each, asked));
    if (at < 0) return false;
    left.splice(at, 1);
  }
  return left.length === 0;
}
