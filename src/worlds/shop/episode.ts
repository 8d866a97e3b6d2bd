/** An episode: the agent searches, compares, chooses options and buys; the purchase is judged. */
import type { Feedback, Json } from '../../envs/env.ts';
import { readCommand, ShopBrowser } from './browser.ts';
import type { Goal } from './goal.ts';
import { type RewardParts, rewardOf } from './judge/reward.ts';
import type { ShopOptions } from './options.ts';
import { Oracle } from './oracle.ts';
import { briefText } from './pages/brief.ts';
import { clickables, richText, simpleText } from './pages/text.ts';
import { priceOf } from './price.ts';
import type { Catalogue } from './store.ts';
import { type ShopView, type TurnSeen, viewOf } from './view-data.ts';

/** Maximum number of turns that the view keeps. */
const mostTurnsSeen = 100;

export class ShopEpisode {
  private readonly browser: ShopBrowser;
  private readonly oracle: Oracle;
  private readonly turns: TurnSeen[] = [];
  private listed: readonly string[] = [];
  private outcome: RewardParts | null = null;

  constructor(
    readonly catalogue: Catalogue,
    private readonly goal: Goal,
    private readonly options: ShopOptions,
  ) {
    this.browser = new ShopBrowser(catalogue, goal.instruction, options);
    this.oracle = new Oracle(catalogue, goal, options);
  }

  begin(): Feedback {
    return { observation: this.observation(), reward: 0, done: false, valid: true, validActions: this.newActions() };
  }

  step(action: string): Feedback {
    if (this.outcome) return this.feedback('The episode is over.', false);
    const command = readCommand(action);
    const taken = command !== null && this.browser.take(command);
    if (taken === 'buy') this.buy();
    this.turns.push({ action: action.slice(0, 500), ok: taken !== false });
    if (this.turns.length > mostTurnsSeen) this.turns.shift();
    return { ...this.feedback(this.observation(), taken !== false), validActions: this.newActions() };
  }

  private buy(): void {
    const { browser, options, catalogue } = this;
    const product = browser.product!;
    const purchase = { product, values: [...browser.chosen.values()], price: this.price() };
    this.outcome = rewardOf(purchase, this.goal, catalogue.nounsOf, options.matcher);
    browser.reward = this.outcome.reward;
    browser.place = 'done';
  }

  /** Price of the current product with the chosen options; 0 without a product. */
  private price(): number {
    const { product, chosen } = this.browser;
    return product ? priceOf(product, chosen, this.options.upstream) : 0;
  }

  private feedback(observation: string, valid: boolean): Feedback {
    const done = this.outcome !== null;
    return { observation, reward: this.outcome?.reward ?? 0, done, valid, validActions: null };
  }

  observation(): string {
    const { browser, options } = this;
    if (options.observation === 'brief') return briefText(browser, this.goal, options.upstream);
    const page = browser.pieces();
    if (options.observation === 'text') return simpleText(page);
    return richText(page, { chosen: browser.chosen, visited: browser.visited, upstream: options.upstream });
  }

  /** Values of `click[...]`, and if there is a search bar: WebShop's list of actions. */
  available(): { has_search_bar: boolean; clickables: string[] } {
    const { browser } = this;
    return { has_search_bar: browser.place === 'start', clickables: [...clickables(browser.pieces()).keys()] };
  }

  private actions(): string[] {
    const { browser, goal, options } = this;
    if (browser.place === 'start') return goal.searches.map((words) => `search[${words}]`);
    const brief = options.observation === 'brief' && browser.place === 'results';
    const products = new Map(browser.listed.map(({ asin }, k) => [asin.toLowerCase(), `item ${k + 1}`]));
    return this.available().clickables.map((text) => `click[${(brief && products.get(text)) || text}]`);
  }

  /** Valid actions, or null if they have not changed. */
  private newActions(): readonly string[] | null {
    const actions = this.outcome ? this.listed : this.actions();
    if (actions.length === this.listed.length && actions.every((action, k) => action === this.listed[k])) return null;
    this.listed = actions;
    return actions;
  }

  plan(): string[] | null {
    return this.oracle.plan(this.browser);
  }

  inspect(what: 'available' | 'instruction' | 'state'): Json {
    if (what === 'available') return this.available();
    if (what === 'instruction') return `Instruction: ${this.goal.instruction}`;
    return { url: '', html: '', instruction_text: `Instruction: ${this.goal.instruction}` };
  }

  view(): ShopView {
    return viewOf(this.browser, this.goal, this.turns, this.outcome, this.options, this.price());
  }
}
