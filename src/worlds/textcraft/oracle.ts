/**
 * Oracle of TextCraft: thoughts and actions from the observations alone, so that a policy that reads the same text can
 * imitate it.
 *
 * Before its first action the oracle plans, goal first. A thought is a sequence of steps; each step can be copied from
 * the step right before it or from the recipes shown:
 *
 *     oak sign A 1 craft 3 oak sign using 6 oak planks, 1 stick ;  wanted thing, letter, number of crafts, recipe
 *     6 oak planks, 1 stick ;                                      everything still missing, next one first
 *     oak planks B 2 craft 4 oak planks using 1 oak logs ;
 *     2 oak logs, 1 stick ;
 *     oak logs <do> get 64 oak logs                                no recipe makes it, so it is fetched;
 *     1 stick ;                                                    the thought continues in the next turn
 *     stick C 1 craft ...                                          `=` instead of a recipe: fetched before
 *
 * When nothing is missing, the oracle crafts in reverse order of the letters and counts down the crafts of each:
 * `B 2 <do> craft 4 oak planks using 1 oak logs`, `B 1 <do> ...`, `A 1 <do> ...`. After a refused action it plans
 * again. It always fetches 64, which the world accepts, so no amounts need to be added up. A kind ("planks") stands
 * for any thing whose name ends with it. (Intermediate steps in text: Wei et al. https://arxiv.org/abs/2201.11903;
 * thoughts before actions: Yao et al. https://arxiv.org/abs/2210.03629.)
 */
import type { Advice } from '../../envs/env.ts';
import { type Ingredient, type Recipe, type RecipeList, writeCommand, writeIngredients } from './recipe-list.ts';

/** Names of kinds: each stands for any thing whose name ends with it. */
export const kindWords = ['planks'] as const;
export const isKind = (word: string): boolean => kindWords.some((kind) => kind === word);
/** Kind of a thing, or null if it has none. */
export const kindOf = (name: string): string | null => kindWords.find((kind) => name.endsWith(` ${kind}`)) ?? null;

/** Number of items that one `get` action fetches. */
const fetched = 64;
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Number of refused actions after which the oracle gives up. */
const maxRefusals = 4;

interface Entry {
  letter: string;
  times: number;
  command: string;
}

/** Cheapest way to get each thing, in actions; things that cannot be made or fetched are absent. */
class Ways {
  private readonly recipes = new Map<string, Recipe[]>();
  private readonly cost = new Map<string, number>();
  private readonly chosen = new Map<string, Recipe>();

  constructor(
    list: RecipeList,
    private readonly refused: ReadonlySet<string>,
  ) {
    for (const recipe of list.recipes)
      this.recipes.set(recipe.name, [...(this.recipes.get(recipe.name) ?? []), recipe]);
    for (let changed = true; changed; ) {
      changed = false;
      for (const recipe of list.recipes) changed = this.relax(recipe) || changed;
    }
  }

  isMade(name: string): boolean {
    return this.recipes.has(name);
  }

  /** Things that an ingredient's name may stand for. */
  candidates(name: string): string[] {
    if (this.isMade(name)) return [name];
    return this.refused.has(name) || isKind(name)
      ? [...this.recipes.keys()].filter((other) => other.endsWith(` ${name}`))
      : [name];
  }

  private costOf(name: string): number {
    return Math.min(
      Infinity,
      ...this.candidates(name).map((thing) => this.cost.get(thing) ?? (this.isMade(thing) ? Infinity : 1)),
    );
  }

  private costBy({ inputs }: Recipe): number {
    return inputs.reduce((sum, { name }) => sum + this.costOf(name), 1);
  }

  private relax(recipe: Recipe): boolean {
    const cost = this.costBy(recipe);
    if (cost >= (this.cost.get(recipe.name) ?? Infinity)) return false;
    this.cost.set(recipe.name, cost);
    return true;
  }

  /**
   * The first in the list of a thing's cheapest recipes, with a thing chosen for each kind among the ingredients; null
   * if there is none. One at random would be a demonstration that no reader of the list can foresee.
   */
  recipe(name: string): Recipe | null {
    const known = this.chosen.get(name);
    if (known) return known;
    const cost = this.cost.get(name);
    if (cost === undefined) return null;
    const recipe = this.recipes.get(name)!.find((each) => this.costBy(each) === cost)!;
    const inputs = recipe.inputs.map(({ count, name: input }) => ({ count, name: this.thing(input) }));
    const chosen = { ...recipe, inputs };
    this.chosen.set(name, chosen);
    return chosen;
  }

  private readonly things = new Map<string, string>();

  private thing(name: string): string {
    const known = this.things.get(name);
    if (known !== undefined) return known;
    const candidates = this.candidates(name);
    const least = Math.min(...candidates.map((each) => this.costOf(each)));
    const thing = candidates.find((each) => this.costOf(each) === least) ?? name;
    this.things.set(name, thing);
    return thing;
  }
}

/** Plan written in the thoughts so far, and the progress in it. */
interface PlanState {
  started: boolean;
  entries: readonly Entry[];
  missing: readonly Ingredient[];
  /** Amount of each fetched thing that the plan uses. */
  used: ReadonlyMap<string, number>;
  /** Craft in progress, once nothing is missing: the entry (the last one first) and its remaining repetitions. */
  crafting: { entry: number; left: number } | null;
}

const emptyPlan: PlanState = { started: false, entries: [], missing: [], used: new Map(), crafting: null };

/** Oracle of one episode. Of equally cheap ways it takes the first in the list. */
export class CraftOracle {
  private readonly fetched = new Set<string>();
  private readonly refused = new Set<string>();
  private ways: Ways;
  private refusals = 0;
  private plan = emptyPlan;
  /** Current advice, and the plan after that advice is followed. */
  private current: { advice: Advice | null; plan: PlanState } | null = null;
  private hopeless = false;

  constructor(private readonly list: RecipeList) {
    this.ways = this.findWays();
  }

  private findWays(): Ways {
    return new Ways(this.list, this.refused);
  }

  /** Thought and action for the current turn, or null if the oracle finds no way. */
  next(): Advice | null {
    this.current ??= this.think();
    return this.current.advice;
  }

  /**
   * Records an action, the oracle's own or another, and whether the world accepted it. The plan advances only if the
   * action is the advised one.
   */
  record(action: string, valid: boolean): void {
    const { current } = this;
    this.current = null;
    const [, got] = /^get 64 (.+)$/.exec(action) ?? [];
    if (valid && got !== undefined) this.fetched.add(got);
    if (!valid) {
      if (got !== undefined && !this.ways.isMade(got)) this.refused.add(got);
      this.restart();
    } else if (current?.advice?.action === action) this.plan = advancedPlan(current.plan);
  }

  private restart(): void {
    if (++this.refusals > maxRefusals) this.hopeless = true;
    this.ways = this.findWays();
    this.plan = emptyPlan;
  }

  private think(): { advice: Advice | null; plan: PlanState } {
    const thought = new Thought(this.plan, this.ways, this.fetched);
    const advice = this.hopeless ? null : thought.advice(this.list.goal);
    return { advice, plan: thought.plan };
  }
}

/** The plan after the advised action. */
function advancedPlan(plan: PlanState): PlanState {
  const { crafting, missing, entries } = plan;
  if (!crafting) return { ...plan, missing: missing.slice(1) };
  const left = crafting.left - 1;
  if (left > 0) return { ...plan, crafting: { ...crafting, left } };
  const entry = crafting.entry - 1;
  return { ...plan, crafting: { entry, left: entries[entry]?.times ?? 0 } };
}

/** One thought, which continues the plan of the thoughts before it. */
class Thought {
  private readonly started: boolean;
  private readonly entries: Entry[];
  private missing: Ingredient[];
  private readonly used: Map<string, number>;
  private crafting: PlanState['crafting'];
  private hopeless = false;

  constructor(
    before: PlanState,
    private readonly ways: Ways,
    private readonly fetched: ReadonlySet<string>,
  ) {
    this.started = before.started;
    this.entries = [...before.entries];
    this.missing = [...before.missing];
    this.used = new Map(before.used);
    this.crafting = before.crafting;
  }

  get plan(): PlanState {
    const { entries, missing, used, crafting } = this;
    return { started: true, entries, missing, used, crafting };
  }

  advice(goal: string): Advice | null {
    if (this.crafting) return this.play([]);
    const words = this.started ? [] : [this.enter(goal, 1)];
    while (this.missing.length > 0 && !this.hopeless) {
      const [{ count, name }] = this.missing;
      words.push(`${writeIngredients(this.missing)} ;`);
      if (this.ways.isMade(name)) {
        this.missing.shift();
        words.push(this.enter(name, count));
      } else if (this.fetched.has(name)) {
        this.missing.shift();
        words.push(`${name} =`);
      } else return { thought: [...words, name].join(' '), action: `get ${fetched} ${name}` };
    }
    if (this.hopeless || this.entries.length === 0) return null;
    const entry = this.entries.length - 1;
    this.crafting = { entry, left: this.entries[entry].times };
    return this.play(words);
  }

  /** Writes the recipe of a thing and puts its ingredients in front of everything else that is missing. */
  private enter(name: string, count: number): string {
    const recipe = this.ways.recipe(name);
    const letter = letters[this.entries.length];
    if (!recipe || letter === undefined) return this.giveUp();
    const times = Math.ceil(count / recipe.makes);
    const inputs = recipe.inputs.map((input) => ({ count: times * input.count, name: input.name }));
    if (inputs.some((input) => !this.oneFetchSuffices(input))) return this.giveUp();
    const command = writeCommand(recipe);
    this.entries.push({ letter, times, command });
    this.missing.unshift(...inputs);
    return `${name} ${letter} ${times} ${command} ;`;
  }

  /** True if a single `get` fetches enough of the thing for the whole plan. */
  private oneFetchSuffices({ count, name }: Ingredient): boolean {
    const used = (this.used.get(name) ?? 0) + count;
    this.used.set(name, used);
    return count <= fetched && (used <= fetched || this.ways.isMade(name));
  }

  private giveUp(): string {
    this.hopeless = true;
    return '';
  }

  private play(words: readonly string[]): Advice | null {
    const { entry, left } = this.crafting!;
    const { letter, command } = this.entries[entry] ?? {};
    if (letter === undefined) return null;
    return { thought: [...words, letter, left].join(' '), action: command };
  }
}
