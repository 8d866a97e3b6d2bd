/**
 * Oracle of a phone: in each state it takes the first open step of the subgoal that is not reached, answers what covers
 * the screen, scrolls to what is under the fold, or goes home. It works after any actions that can be repaired.
 */
import { type Action, ActionError } from './actions.ts';
import { type Aimed, scrolling, sliding, touching, typing } from './aim.ts';
import type { Judge } from './judge.ts';
import type { Placed } from './layout.ts';
import type { Phone } from './phone.ts';
import type { Step } from './tasks/skills.ts';
import type { Made } from './tasks/template.ts';

/** Maximum number of actions of a plan. */
const mostActions = 120;

/** What an episode has seen and done. */
export interface Progress {
  phone: Phone;
  /** Places (`Phone.id` and `overlay KEY`) that were shown. */
  visited: ReadonlySet<string>;
}

export const shownPlace = (phone: Phone): string =>
  phone.ui.overlay ? `overlay ${phone.ui.overlay.key}` : phone.ui.loading ? 'loading' : phone.id();

function reach(placed: Placed, { act, value }: Step): Aimed | null {
  if (act === 'text') return typing(placed, value!);
  if (act === 'hold') return placed.item.hold ? touching(placed, 'long_press') : null;
  if (act === 'tap') return placed.item.tap ? touching(placed, 'tap') : null;
  return sliding(placed, Number(value));
}

/** True if a step that leaves a trace on the screen has been taken. */
function isDone(phone: Phone, { act, key, value, until }: Step): boolean {
  if (act !== 'text' && until === undefined) return false;
  const { items, bottom = [] } = phone.screen();
  const item = [...items, ...bottom].find((each) => each.key === key);
  return act === 'text' ? item?.detail === value : item?.state === until;
}

/** The action of a step where the phone is; null if its element is not there. */
function actionOf(phone: Phone, step: Step): Aimed | null {
  if (step.act === 'picture') return { action: { name: 'screen_shot' } };
  if (step.act === 'long-picture') return { action: { name: 'long_screen_shot' } };
  const { placed, above, below } = phone.layout();
  const found = placed.find(({ item }) => item.key === step.key);
  if (found) return reach(found, step);
  const isHere = ({ key }: { key: string }) => key === step.key;
  if (below.some(isHere)) return scrolling('up');
  return above.some(isHere) ? scrolling('down') : null;
}

function nextOf(phone: Phone, steps: readonly Step[]): Aimed | null {
  const { overlay, app, loading } = phone.ui;
  const place = shownPlace(phone);
  const step = steps.find((each) => each.at === place && (overlay || !isDone(phone, each)));
  if (step) return actionOf(phone, step);
  if (overlay) return actionOf(phone, { at: place, act: 'tap', key: overlay.dismiss });
  if (loading) return { action: { name: 'wait' } };
  return app === null ? null : { action: { name: 'navigate_home' } };
}

/** The next action, or null if the goal is out of reach. */
export function advise({ phone, visited }: Progress, made: Made, judge: Judge): Aimed | null {
  const reached = judge.reached(phone.state);
  const open = made.subgoals[reached.indexOf(false)];
  const looks = [open?.look, open ? undefined : made.look];
  const look = looks.find((each) => each && !visited.has(each.place));
  if (look) return nextOf(phone, look.steps);
  if (open) return nextOf(phone, open.steps);
  const place = shownPlace(phone);
  if (made.arrive && made.arrive.place !== place) return nextOf(phone, made.arrive.steps);
  const end = made.end ?? 'finish';
  if (!judge.judge(phone.state, end, place).success) return null;
  return { action: end === 'take_over' ? { name: end, message: 'Sign in, please.' } : { name: end } };
}

const isEnd = ({ name }: Action) => name === 'finish' || name === 'no_answer' || name === 'take_over';

/** All remaining actions, or null if the goal is out of reach. */
export function planFrom({ phone, visited }: Progress, made: Made, judge: Judge): Aimed[] | null {
  const own = phone.copy();
  const seen = new Set(visited);
  const actions: Aimed[] = [];
  while (actions.length < mostActions) {
    const aimed = advise({ phone: own, visited: seen }, made, judge);
    if (!aimed) return null;
    actions.push(aimed);
    if (isEnd(aimed.action)) return actions;
    try {
      own.act(aimed.action);
    } catch (error) {
      if (error instanceof ActionError) return null;
      throw error;
    }
    seen.add(shownPlace(own));
  }
  return null;
}

/** Takes an action, and waits where an app then loads. */
export function takeAndWait(phone: Phone, action: Action): void {
  phone.act(action);
  if (phone.ui.loading) phone.act({ name: 'wait' });
}

/** Takes the steps one after the other, scrolling and waiting on the way; false where one cannot be taken. */
export function walk(phone: Phone, steps: readonly Step[]): boolean {
  for (const step of steps) {
    let aimed = actionOf(phone, step);
    while (aimed?.action.name === 'scroll') {
      phone.act(aimed.action);
      aimed = actionOf(phone, step);
    }
    if (!aimed) return false;
    takeAndWait(phone, aimed.action);
  }
  return true;
}
