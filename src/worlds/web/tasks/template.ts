/**
 * The interface of a task template. It draws an intent from an internet's data by a seed, defines how an episode is
 * judged in WebArena's own terms, and gives a plan of requests, from which the oracle derives its clicks. A template
 * uses the sites' data, not the DOM.
 */
import type { Evaluation } from '../../../webarena/evaluators/evaluate.ts';
import type { Net, NetState } from '../sites/net.ts';
import { Random } from '../sites/random.ts';

/** A step of the oracle. Addresses without a host are relative to the site of the current tab. */
export type PlanStep =
  /** Follow the link to this address. */
  | { visit: string }
  /**
   * Fill in these fields of the form with this action and submit it. Values are texts, or true and false for
   * checkboxes.
   */
  | { submit: string; fields?: { [name: string]: string | boolean } }
  | { tab: number }
  | { back: true }
  | { scroll: 'down' | 'up' }
  | { stop: string };

export interface MadeTask {
  intent: string;
  /** Initial addresses, one for each tab. */
  start: readonly string[];
  evaluation: Evaluation;
  plan: readonly PlanStep[];
  /** Initial state of the sites, if it is not a fresh one. */
  state?: NetState;
  /** Values filled into the intent, for tests. */
  gaps: { [name: string]: string | number };
}

export interface DrawContext {
  net: Net;
  random: Random;
}

export interface Template {
  name: string;
  sites: readonly string[];
  /** Rough length of the plan in requests and stops. */
  turns: 'short' | 'medium' | 'long';
  /** False if the task cannot be done, so that `stop [N/A]` is right. */
  feasible: boolean;
  /** True if the template is never used for training. */
  heldOut?: boolean;
  /** Draws an instance, or returns null if this internet has none. */
  draw(context: DrawContext): MadeTask | null;
}

/** Judged by the answer alone, which must match exactly. */
export const answerIs = (answer: string): Evaluation => ({
  eval_types: ['string_match'],
  reference_answers: { exact_match: answer },
});
/** Judged by the browser's final address. */
export const endsAt = (url: string): Evaluation => ({
  eval_types: ['url_match'],
  reference_url: url,
  url_note: 'GOLD in PRED',
});

export interface Shown {
  url: string;
  /** CSS selector; empty for the whole page. */
  at: string;
  text: string | readonly string[];
}

/** Judged by the content of pages at the end, that is, by the sites' state as a visitor sees it. */
export const shows = (...targets: readonly Shown[]): Evaluation => ({
  eval_types: ['program_html'],
  program_html: targets.map(({ url, at, text }) => ({
    url,
    locator: at && `document.querySelector('${at}').outerText`,
    required_contents: typeof text === 'string' ? { exact_match: text } : { must_include: text },
  })),
});

/** The task cannot be done. Judged by an exact N/A, since there is no judge that compares meanings. */
export const notPossible: Evaluation = {
  eval_types: ['string_match'],
  reference_answers: { exact_match: 'N/A' },
};

/** Attempts to draw an instance. Its number is the seed; each failed attempt moves on to another internet. */
const mostDraws = 20;
const netSeeds = 1000;

export interface Instance extends MadeTask {
  template: Template;
  number: number;
  netSeed: number;
}

/**
 * Makes an instance of a template. Instances with the same number usually play in the same internet, whatever the
 * template.
 */
export function instanceOf(template: Template, number: number, netOf: (seed: number) => Net): Instance {
  for (let k = 0; k < mostDraws; k++) {
    const netSeed = (number + k * 7919) % (netSeeds + 1000 * k);
    const random = new Random(number * 31 + k, template.name);
    const made = template.draw({ net: netOf(netSeed), random });
    if (made) return { ...made, template, number, netSeed };
  }
  throw new Error(`Template ${template.name} has no instance ${number} in ${mostDraws} internets.`);
}
