/**
 * Goals made from a screen: a random way leads to a screen; what can be done from there is found by trying taps on a copy
 * of the phone, and the change of the state becomes the goal and its judge. Also the first lesson, to tap what is named.
 */
import type { Aimed } from '../aim.ts';
import { Judge } from '../judge.ts';
import { activeOn, onElement } from '../offers.ts';
import { planFrom, shownPlace, takeAndWait, walk } from '../oracle.ts';
import { Phone } from '../phone.ts';
import { differences } from '../state.ts';
import { phrase } from './routine.ts';
import { sentenceOf } from './sentences.ts';
import * as skill from './skills.ts';
import type { Context, Made, Template } from './template.ts';

/** Maximum number of steps of the way to a screen, and of what is done there. */
const mostOnTheWay = 3;
const mostThere = 4;
/** Tries before a goal of the settings is taken instead. */
const mostTries = 80;

/** The step that an action on an element stands for. */
function stepOf(phone: Phone, { action, on, value }: Aimed): skill.Step {
  const { key, kind } = on!.item;
  const base = { at: shownPlace(phone), key };
  if (action.name === 'text') return { ...base, act: 'text', value: action.text };
  if (action.name === 'drag') return { ...base, act: 'set', value: String(value) };
  if (action.name === 'long_press') return { ...base, act: 'hold' };
  return { ...base, act: 'tap', ...(kind === 'chip' && { until: 'chosen' }) };
}

const changed = (from: Phone, to: Phone) => differences(from.state, to.state);

/** The phone after an action, which an app that loads has then done. */
function after(phone: Phone, { action }: Aimed): Phone {
  const next = phone.copy();
  takeAndWait(next, action);
  return next;
}

const tapsOn = (phone: Phone) =>
  activeOn(phone)
    .filter(({ item }) => item.tap && !['field', 'chip'].includes(item.kind))
    .flatMap((placed) => onElement(placed, []).filter(({ action }) => action.name === 'tap'));

/** A random way that changes nothing, and the phone at its end. */
function wander({ random, data, state }: Context): { steps: skill.Step[]; phone: Phone } {
  let phone = new Phone(data, structuredClone(state));
  const steps: skill.Step[] = [];
  for (let k = random.below(mostOnTheWay + 1); k > 0; k--) {
    const taps = tapsOn(phone);
    if (!taps.length) break;
    const aimed = random.pick(taps);
    const next = after(phone, aimed);
    if (next.ui.overlay || changed(phone, next).length || next.id() === phone.id()) break;
    steps.push(stepOf(phone, aimed));
    phone = next;
  }
  return { steps, phone };
}

/** Leaves out what the change does not need. */
function shortened(from: Phone, steps: readonly skill.Step[], change: string): skill.Step[] {
  let kept = [...steps];
  for (let k = steps.length - 2; k >= 0; k--) {
    const fewer = kept.filter((_, place) => place !== k);
    const own = from.copy();
    if (walk(own, fewer) && JSON.stringify(changed(from, own)) === change) kept = fewer;
  }
  return kept;
}

/** Tries random actions until the state changes; null if the change has no sentence. */
function attempt(from: Phone, way: readonly skill.Step[], context: Context): Made | null {
  const text = phrase(context);
  const steps: skill.Step[] = [];
  let phone = from;
  while (steps.length < mostThere) {
    const offered = activeOn(phone).flatMap((placed) => onElement(placed, [text]));
    if (!offered.length) return null;
    const aimed = context.random.pick(offered);
    steps.push(stepOf(phone, aimed));
    phone = after(phone, aimed);
    const change = changed(from, phone);
    if (!change.length) continue;
    const goal = sentenceOf(change, from.state, phone.state);
    if (!goal) return null;
    const { state } = phone;
    const needed = shortened(from, steps, JSON.stringify(change));
    const subgoal = {
      change: (given: object) => void Object.assign(given, structuredClone(state)),
      steps: [...way, ...needed],
    };
    return { goal, subgoals: [subgoal], start: [...way] };
  }
  return null;
}

/** True if the oracle can tell which step of each place comes next: only the last one there may leave no trace. */
const isClear = (steps: readonly skill.Step[]): boolean =>
  steps.every(
    ({ at, act, until }, k) =>
      act === 'text' || until !== undefined || !steps.slice(k + 1).some((each) => each.at === at),
  );

/** True if the oracle finds the way to the goal. */
function isWithinReach(phone: Phone, made: Made): boolean {
  if (!isClear(made.subgoals[0].steps)) return false;
  const judge = new Judge(structuredClone(phone.state), made.subgoals, 'finish');
  return planFrom({ phone, visited: new Set() }, made, judge) !== null;
}

/** A goal that a screen offers. */
function fromScreen(context: Context): Made {
  for (let k = 0; k < mostTries; k++) {
    const { steps, phone } = wander(context);
    const made = attempt(phone, steps, context);
    if (made && isWithinReach(phone, made)) return made;
  }
  const on = !context.state.switches.Vibration;
  return { goal: `Turn ${on ? 'on' : 'off'} Vibration.`, subgoals: [skill.setSwitch('Vibration', on)] };
}

/** An element to tap, by its name, that leads to another place. */
function tapNamed(context: Context): Made {
  for (let k = 0; k < mostTries; k++) {
    const { steps: start, phone } = wander(context);
    const texts = phone.layout().placed.map(({ item }) => item.text);
    const leading = tapsOn(phone).filter((aimed) => {
      const next = after(phone, aimed);
      const isAlone = texts.filter((text) => text === aimed.on!.item.text).length === 1;
      return isAlone && !changed(phone, next).length && shownPlace(next) !== shownPlace(phone);
    });
    if (!leading.length) continue;
    const aimed = context.random.pick(leading);
    const arrive = { steps: [...start, stepOf(phone, aimed)], place: shownPlace(after(phone, aimed)) };
    return { goal: `Tap ${aimed.on!.item.text}.`, subgoals: [], start, arrive };
  }
  return {
    goal: 'Tap Settings.',
    subgoals: [],
    arrive: { steps: [skill.ways.opening('settings')], place: 'settings:' },
  };
}

export const fromScreens: { readonly [name in 'goal' | 'tap']: Template } = {
  goal: { name: 'from-screen', column: 'routine', make: fromScreen },
  tap: { name: 'tap-named', column: 'instruction', make: tapNamed },
};
