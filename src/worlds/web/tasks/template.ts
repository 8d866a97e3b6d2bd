/**
 * What a task template is: words with gaps, drawn from an internet's data by a seed; how an episode is judged, in WebArena's own
 * terms; and the way to the goal as requests, from which the oracle finds its clicks. A template knows sites' data, no DOM.
 */
import type { Evaluation } from '../../../webarena/evaluators/evaluate.ts';
import type { Net, NetRequest, NetState } from '../sites/net.ts';
import { Random } from '../sites/random.ts';

/** What the oracle does next. Addresses without a host are on the site of the tab that is looked at. */
export type PlanStep =
  /** Follow the link to this address. */
  | { visit: string }
  /** Fill these fields of the form with this action, and send it. Texts, or true and false for ticks. */
  | { submit: string; fields?: { [name: string]: string | boolean } }
  | { tab: number }
  | { back: true }
  | { scroll: 'down' | 'up' }
  | { stop: string };

export interface MadeTask {
  intent: string;
  /** Where the tabs begin. */
  start: readonly string[];
  evaluation: Evaluation;
  plan: readonly PlanStep[];
  /** The sites' state at the beginning, where it is not a fresh one. */
  state?: NetState;
  /** What an intent's gaps are filled with: the spans that matter, for tests. */
  gaps: { [name: string]: string | number };
}

export interface DrawContext {
  net: Net;
  random: Random;
}

export interface Template {
  name: string;
  sites: readonly string[];
  /** The requests and stops of its plan, roughly: how long it is. */
  turns: 'short' | 'medium' | 'long';
  /** False: it cannot be done, and `stop [N/A]` is right. */
  feasible: boolean;
  /** Left out of training whole. */
  heldOut?: boolean;
  /** Draws an instance, or null where this internet has none. */
  draw(context: DrawContext): MadeTask | null;
}

/** Judged by the answer alone. */
export const answerIs = (answer: string): Evaluation => ({
  eval_types: ['string_match'],
  reference_answers: { exact_match: answer },
});
/** Every one of these in the answer. */
export const answerHas = (...parts: string[]): Evaluation => ({
  eval_types: ['string_match'],
  reference_answers: { must_include: parts },
});
/** Judged by where the browser is at the end. */
export const endsAt = (url: string): Evaluation => ({
  eval_types: ['url_match'],
  reference_url: url,
  url_note: 'GOLD in PRED',
});

export interface Shown {
  url: string;
  /** A CSS selector; empty: the whole page. */
  at: string;
  text: string | readonly string[];
}

/** Judged by what a page shows at the end: the sites' state, as a visitor sees it. */
export const shows = (...targets: readonly Shown[]): Evaluation => ({
  eval_types: ['program_html'],
  program_html: targets.map(({ url, at, text }) => ({
    url,
    locator: at && `document.querySelector('${at}').outerText`,
    required_contents: typeof text === 'string' ? { exact_match: text } : { must_include: text },
  })),
});

/** It cannot be done; judged by an exact N/A, since no judge of meaning is at hand. */
export const notPossible: Evaluation = {
  eval_types: ['string_match'],
  reference_answers: { exact_match: 'N/A' },
};

/** The number of a template's instance is its seed; draws that fail try the next internet. */
const mostDraws = 20;
const netSeeds = 1000;

export interface Instance extends MadeTask {
  template: Template;
  number: number;
  netSeed: number;
}

/** Which internet an instance plays in: instances of one number share theirs over all templates. */
export function instanceOf(template: Template, number: number, netOf: (seed: number) => Net): Instance {
  for (let k = 0; k < mostDraws; k++) {
    const netSeed = (number + k * 7919) % (netSeeds + 1000 * k);
    const random = new Random(number * 31 + k, template.name);
    const made = template.draw({ net: netOf(netSeed), random });
    if (made) return { ...made, template, number, netSeed };
  }
  throw new Error(`Template ${template.name} has no instance ${number} in ${mostDraws} internets.`);
}

/** The requests of a plan, for one who plays on the sites' state alone. */
export type PlanRequest = NetRequest;
