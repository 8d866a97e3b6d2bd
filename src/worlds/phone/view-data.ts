/** Data of the view of a phone: its screen with every rectangle, what was tapped, and at the end the judgement. */
import type { WorldView } from '../../envs/env.ts';
import type { Judgement } from './judge.ts';
import { boxOf, type Layout, type Part, type Placed, type Rectangle } from './layout.ts';
import type { StepReward } from './measures.ts';
import { fullText } from './observe.ts';
import { shownPlace } from './oracle.ts';
import type { Phone } from './phone.ts';
import type { Kind } from './screen.ts';
import type { Difference } from './state.ts';
import type { End, Made } from './tasks/template.ts';

export interface TurnSeen {
  /** Number of the turn, from 1. */
  turn: number;
  action: string;
  ok: boolean;
  /** Screen on which it was taken (`ScreenSeen.place`). */
  place: string;
  /** Where the screen was touched, in thousandths. */
  point: { x: number; y: number } | null;
  /** Reward of the step against the oracle's action; null where the oracle has none. */
  reward: StepReward | null;
}

export interface ElementSeen extends Rectangle {
  kind: Kind;
  part: Part;
  /** Lines of its text. */
  rows: number;
  /** Cell of a pin on the map; -1 for others. */
  cell: number;
  key: string;
  text: string;
  detail: string;
  state: string;
  /** Number by which it is acted on; 0 if it is not. */
  number: number;
  taps: boolean;
  holds: boolean;
  slides: boolean;
  box: [number, number, number, number];
}

/** A screen as it is drawn. */
export interface ScreenSeen {
  app: string;
  /** Place in the app, line scrolled to, keyboard and font: two screens with the same place are laid out alike. */
  place: string;
  title: string;
  elements: ElementSeen[];
  /** Keys of the keyboard and of the navigation bar. */
  chrome: ElementSeen[];
  panel: Rectangle | null;
  overlay: 'dialog' | 'sheet' | null;
  dark: boolean;
  largeFont: boolean;
  loading: boolean;
  toast: string;
}

export interface PhoneView extends WorldView, ScreenSeen {
  kind: 'phone';
  goal: string;
  /** The screen on which the last action was taken. */
  before: ScreenSeen | null;
  /** Texts of what is above and below the part shown. */
  above: string[];
  below: string[];
  turns: TurnSeen[];
  subgoals: { reached: number; all: number };
  outcome: {
    success: boolean;
    falseCompletion: boolean;
    ended: End;
    rightEnd: End;
    missing: Difference[];
    sideEffects: Difference[];
  } | null;
}

const seen = ({ item, part, rows, number, x, y, w, h }: Placed): ElementSeen => ({
  ...{ x, y, w, h, part, rows, number, kind: item.kind, key: item.key, text: item.text, cell: item.cell ?? -1 },
  ...{ detail: item.detail ?? '', state: item.state ?? '', box: boxOf({ x, y, w, h }) },
  ...{ taps: Boolean(item.tap), holds: Boolean(item.hold), slides: Boolean(item.set) },
});

/** What a screen was at a moment; it is drawn from this when a view asks for it. */
export interface Shot {
  layout: Layout;
  app: string;
  place: string;
  overlay: 'dialog' | 'sheet' | null;
  loading: boolean;
  toast: string;
  dark: boolean;
  largeFont: boolean;
}

export function shotOf(phone: Phone): Shot {
  const { app, overlay, loading, toast } = phone.ui;
  const { switches } = phone.state;
  const [layout, largeFont] = [phone.layout(), switches['Large font']];
  const place = `${shownPlace(phone)} ${layout.scroll}${layout.keyboard ? ' keyboard' : ''}${largeFont ? ' large' : ''}`;
  return {
    ...{ layout, place, app: app ?? 'home', overlay: overlay?.kind ?? null, loading, toast },
    ...{ dark: switches['Dark mode'], largeFont },
  };
}

function screenOf({ layout, ...rest }: Shot): ScreenSeen {
  const { title, placed, chrome, panel } = layout;
  return { ...rest, title, elements: placed.map(seen), chrome: chrome.map(seen), panel };
}

/** What an episode adds to the screen. */
interface Played {
  before: Shot | null;
  turns: readonly TurnSeen[];
  judgement: Judgement | null;
  ended: End | null;
  /** Subgoals, and which of them are reached. */
  reached: readonly boolean[];
}

export function viewOf(phone: Phone, { goal }: Made, played: Played): PhoneView {
  const { before, turns, judgement, ended, reached } = played;
  const { above, below } = phone.layout();
  const outcome = judgement && { ...judgement, ended: ended! };
  const end = outcome ? ` The episode is over: ${outcome.success ? 'success' : 'no success'}.` : '';
  return {
    kind: 'phone',
    text: `Goal: ${goal}\n${fullText(phone)}${end}`,
    ...screenOf(shotOf(phone)),
    ...{ goal, before: before && screenOf(before), turns: [...turns], outcome },
    above: above.map(({ text }) => text),
    below: below.map(({ text }) => text),
    subgoals: { reached: reached.filter((each) => each).length, all: reached.length },
  };
}
