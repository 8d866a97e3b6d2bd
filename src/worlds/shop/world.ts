/**
 * Client of the shop: the World interface over made shops and a person's own. Handles tasks, slots and the shops that
 * are open; an episode's rules are in `episode.ts`.
 */
import { openShops } from '../../corpus/shops/open.ts';
import type { BroughtShop } from '../../corpus/shops/webshop-files.ts';
import {
  type Feedback,
  type Json,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
} from '../../envs/env.ts';
import { mixSeeds, Random } from '../../envs/random.ts';
import { SharedParts } from '../../envs/shared-parts.ts';
import { openMade } from './catalogue/made.ts';
import { shopDescription } from './description.ts';
import { ShopEpisode } from './episode.ts';
import type { Goal } from './goal.ts';
import { firstHeldOut, parseShopOptions, type ShopOptions } from './options.ts';
import { openBrought } from './own/catalogue.ts';
import { goalsOf } from './own/goals.ts';
import type { Catalogue } from './store.ts';
import { asks, makeGoal } from './tasks.ts';
import type { ShopView } from './view-data.ts';

/** Maximum number of products of all open shops together; a larger shop is open alone. */
const mostOpen = 120_000;

/** A person's own shop, and its goals in the order of their numbers. */
interface OwnShop {
  shop: BroughtShop;
  goals: readonly Goal[];
}

/** Numbers of goals that are held out, by the order of the numbers: as Princeton's and as AgentGym's evaluations. */
const heldOutOwn = { princeton: 500, agentgym: 200 };
/** Princeton's development set ends before this number; training begins there if there are twice as many goals. */
const firstTraining = 1_500;

/** First and last number (exclusive) of a split of an own shop's goals. Of few goals, one in five is held out. */
function rangeOf(count: number, split: Split, order: ShopOptions['order']): [number, number] {
  const heldOut = Math.min(heldOutOwn[order], Math.ceil(count / 5));
  if (split === 'test') return [0, heldOut];
  return [order === 'princeton' && count >= 2 * firstTraining ? firstTraining : heldOut, count];
}

/** Random draws of a task. */
const randomOf = ({ seed }: ShopOptions, id: number) => new Random(mixSeeds(seed, 3, id));

/** The world Shop; create it with `Shop.open()`. */
export class Shop implements World {
  private readonly episodes = new Map<number, ShopEpisode>();
  /** Shops by their plan; their size is a number of products. */
  private readonly shops = new SharedParts<Catalogue>(mostOpen, (catalogue) => catalogue.close());
  private readonly owned = new Map<string, Promise<OwnShop>>();

  static async open(): Promise<Shop> {
    return new Shop();
  }

  describe(): WorldDescription {
    return shopDescription;
  }

  async tasks(given: WorldOptions, split: Split): Promise<Task[]> {
    const options = parseShopOptions(given);
    if (options.shop) return this.ownTasks(options, split);
    const [first, count] = split === 'train' ? [0, options.instances] : [firstHeldOut, options.testInstances];
    return Array.from({ length: count }, (_, k) => ({
      world: shopDescription.name,
      id: first + k,
      options: options as unknown as WorldOptions,
      strata: asks(options, randomOf(options, first + k)),
    }));
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    const begun = await this.shops.replace(this.episodes, slots, tasks, {
      begin: (task) => this.openTask(task),
      partOf: ({ catalogue }) => catalogue,
    });
    return begun.map((episode) => episode.begin());
  }

  private async openTask({ id, options: given }: Task): Promise<ShopEpisode> {
    const options = parseShopOptions(given);
    if (options.shop) return this.openOwn(options, id);
    if (!Number.isSafeInteger(id) || id < 0 || id >= 2 * firstHeldOut)
      throw new WorldError(
        `A task of the shop is a number from 0 to ${2 * firstHeldOut - 1}, held out from ${firstHeldOut} on (it is ${id}).`,
      );
    const heldOut = id >= firstHeldOut;
    const catalogue = await this.made(options, heldOut);
    try {
      return new ShopEpisode(catalogue, makeGoal(catalogue, options, randomOf(options, id), heldOut), options);
    } catch (error) {
      this.shops.giveBack(catalogue);
      throw error;
    }
  }

  private async ownTasks(options: ShopOptions, split: Split): Promise<Task[]> {
    const { goals } = await this.own(options);
    const [from, to] = rangeOf(goals.length, split, options.order);
    return goals.slice(from, to).map((goal, k) => ({
      world: shopDescription.name,
      id: from + k,
      options: options as unknown as WorldOptions,
      strata: { attributes: goal.attributes.length, options: goal.options.length },
    }));
  }

  private async openOwn(options: ShopOptions, id: number): Promise<ShopEpisode> {
    const { shop, goals } = await this.own(options);
    const goal = goals[id];
    if (!goal) throw new WorldError(`The shop "${options.shop}" has no instruction ${id}: it has ${goals.length}.`);
    const size = shop.products.length;
    const catalogue = await this.shops.borrow(`own ${options.shop}`, size, () => openBrought(shop));
    return new ShopEpisode(catalogue, goal, options);
  }

  /** A person's own shop with its goals under these options. */
  private own(options: ShopOptions): Promise<OwnShop> {
    const { shop: name, goals, order, seed } = options;
    const key = JSON.stringify([name, goals, order, seed]);
    const read = async () => {
      const shop = await (await openShops()).read(name);
      const found = goalsOf(shop, options);
      if (!found.length)
        throw new WorldError(`The shop "${name}" has no ${goals} instructions: choose the other kind.`);
      return { shop, goals: found };
    };
    const known = this.owned.get(key) ?? read();
    this.owned.set(key, known);
    known.catch(() => this.owned.delete(key));
    return known;
  }

  private made({ seed, products, heldOutKinds }: ShopOptions, heldOut: boolean): Promise<Catalogue> {
    const plan = { seed, products, heldOut, heldOutKinds };
    return this.shops.borrow(JSON.stringify(plan), products, () => openMade(plan));
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    return slots.map((slot, k) => this.episode(slot).step(actions[k]));
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    return slots.map((slot) => this.episode(slot).plan());
  }

  async view(slot: number): Promise<ShopView> {
    return this.episode(slot).view();
  }

  /** For `available`, `instruction` and `state`: the answers of AgentGym's routes of these names. */
  async inspect(slot: number, what: string): Promise<Json> {
    if (what === 'available' || what === 'instruction' || what === 'state') return this.episode(slot).inspect(what);
    throw new WorldError(`The shop cannot inspect "${what}": only "available", "instruction" and "state".`);
  }

  async close(): Promise<void> {
    this.episodes.clear();
    await this.shops.closeAll();
  }

  private episode(slot: number): ShopEpisode {
    const episode = this.episodes.get(slot);
    if (!episode) throw new WorldError(`Slot ${slot} of the shop has no episode: reset it first.`);
    return episode;
  }
}
