/** An episode: the agent acts on a phone until it ends the task; the judge compares the state with the goal's. */
import type { Feedback } from '../../envs/env.ts';
import { type Action, ActionError, mostLetters, readAction, writeAction } from './actions.ts';
import type { Aimed } from './aim.ts';
import { Judge, type Judgement } from './judge.ts';
import { actionReward, type StepReward } from './measures.ts';
import { briefText, fullText } from './observe.ts';
import { offersOf, quotedIn } from './offers.ts';
import type { PhoneOptions } from './options.ts';
import { advise, planFrom, shownPlace, walk } from './oracle.ts';
import { Phone } from './phone.ts';
import { question } from './screen.ts';
import { readShort, writeShort } from './short-actions.ts';
import type { Catalogue, PhoneState } from './state.ts';
import { type End, ends, type Made } from './tasks/template.ts';
import { type PhoneView, type Shot, shotOf, type TurnSeen, viewOf } from './view-data.ts';

/** Largest reward of an episode that does not succeed. */
const mostUnsolved = 0.5;
/** Bounds of a step's reward (MagicGUI), with and without the distance. */
const stepBounds = { with: [-1, 3], without: [0, 3] } as const;
/** Maximum number of turns that the view keeps. */
const mostTurnsSeen = 200;
/** Maximum number of texts seen on the way that may be typed. */
const mostTexts = 3;

/** An offer that covers an app: to accept it is a side effect. */
const offer = (app: string) =>
  question(`offer ${app}`, 'Special offer', 'Try the full version for a month?', 'Accept', 'Not now', (p) => {
    p.state.device.accepted[app] = true;
  });

/** What a turn leaves for the view. */
interface Noted {
  action: Action | null;
  reward: StepReward | null;
  place: string;
}

export class PhoneEpisode {
  readonly phone: Phone;
  private readonly judge: Judge;
  private readonly turns: TurnSeen[] = [];
  private readonly visited = new Set<string>();
  /** Texts read on screens that may be typed, the last ones last. */
  private texts: readonly string[] = [];
  private judgement: Judgement | null = null;
  private ended: End | null = null;
  private before: Shot | null = null;
  /** Sum and number of the steps' rewards. */
  private steps = { sum: 0, count: 0 };
  private listed: readonly string[] = [];
  /**
   * The same episode with the rewards of its steps, for a view of an episode that is not rewarded by them. It takes the
   * pending actions when the view is read, so that training does not ask the oracle at every step.
   */
  private measured: PhoneEpisode | null = null;
  private readonly pending: string[] = [];

  constructor(
    data: Catalogue,
    state: PhoneState,
    readonly made: Made,
    private readonly options: PhoneOptions,
    /** Opens the same task with the reward of each step. */
    private readonly again: () => PhoneEpisode,
  ) {
    this.judge = new Judge(structuredClone(state), made.subgoals, made.end ?? 'finish', made.arrive?.place);
    this.phone = new Phone(data, state);
    if (made.start) walk(this.phone, made.start);
    if (made.offer) this.phone.ui.offers = { [made.offer]: offer(made.offer) };
    this.look();
  }

  begin(): Feedback {
    const { goal } = this.made;
    const opening = this.options.observation === 'brief' ? `${goal} ; ` : `Goal: ${goal}\n`;
    return { ...this.feedback(`${opening}${this.screenText()}`, true), validActions: this.newActions() };
  }

  step(text: string): Feedback {
    if (this.judgement) return { ...this.feedback('The episode is over.', false), reward: 0 };
    if (!this.options.stepReward) this.pending.push(text.slice(0, mostLetters + 1));
    const action = this.read(text);
    const known = action instanceof ActionError ? null : action;
    const [before, reward] = [shotOf(this.phone), this.measure(known)];
    try {
      if (action instanceof ActionError) throw action;
      const answer = isEnd(action) ? this.end(action.name) : this.apply(action);
      this.before = before;
      this.note(text, true, { action: known, reward, place: before.place });
      return answer;
    } catch (error) {
      if (!(error instanceof ActionError)) throw error;
      this.note(text, false, { action: known, reward, place: before.place });
      const shown = this.options.observation === 'brief' ? 'refused' : `Error (${error.kind}): ${error.message}`;
      return this.feedback(shown.replace(/[^\n -~]/g, '?'), false);
    }
  }

  private read(text: string): Action | ActionError {
    try {
      return readShort(text, this.phone) ?? readAction(text);
    } catch (error) {
      if (error instanceof ActionError) return error;
      throw error;
    }
  }

  private progress = () => ({ phone: this.phone, visited: this.visited });

  /** Reward of a step against the oracle's action, which counts from now on; null where the oracle has none. */
  private measure(action: Action | null): StepReward | null {
    if (!this.options.stepReward) return null;
    const right = advise(this.progress(), this.made, this.judge)?.action;
    const reward = right ? actionReward(action, right) : null;
    this.steps.sum += (reward ? this.counted(reward) : Number(action !== null)) - this.stepBounds[0];
    this.steps.count++;
    return reward;
  }

  private get stepBounds() {
    return stepBounds[this.options.distance ? 'with' : 'without'];
  }

  private counted({ total, distance }: StepReward): number {
    return this.options.distance ? total : total - distance;
  }

  private apply(action: Action): Feedback {
    this.phone.act(action);
    this.look();
    return { ...this.feedback(this.screenText(), true), validActions: this.newActions() };
  }

  private end(name: End): Feedback {
    this.ended = name;
    this.judgement = this.judge.judge(this.phone.state, name, shownPlace(this.phone));
    const text = this.judgement.success ? 'The goal is reached.' : 'The goal is not reached.';
    return this.feedback(text, true);
  }

  /** Keeps what the screen shows: its place, and texts that may be typed later. */
  private look(): void {
    this.visited.add(shownPlace(this.phone));
    const read = this.phone.layout().placed.filter(({ item }) => item.kind === 'text' && item.key !== 'loading');
    const texts = read.map(({ item }) => item.text);
    this.texts = [...new Set([...this.texts.filter((text) => !texts.includes(text)), ...texts])].slice(-mostTexts);
  }

  private screenText(): string {
    return this.options.observation === 'brief' ? briefText(this.phone) : fullText(this.phone);
  }

  private feedback(observation: string, valid: boolean): Feedback {
    return { observation, reward: this.reward(), done: this.judgement !== null, valid, validActions: null };
  }

  private reward(): number {
    if (this.judgement?.success) return 1;
    const { partial, stepReward } = this.options;
    const shares = [...(partial ? this.changesMade() : []), ...(stepReward ? this.stepsMade() : [])];
    return shares.length ? (mostUnsolved * shares.reduce((sum, each) => sum + each, 0)) / shares.length : 0;
  }

  /** Share of the changes made; none if the goal asks for no change. */
  private changesMade(): number[] {
    const { length } = this.made.subgoals;
    return length ? [this.judge.reached(this.phone.state).filter((each) => each).length / length] : [];
  }

  /** Mean reward of the steps, from 0 to 1. */
  private stepsMade(): number[] {
    const { sum, count } = this.steps;
    const [least, most] = this.stepBounds;
    return count ? [sum / count / (most - least)] : [];
  }

  /** Writes an action in the form of the options. */
  private write = (aimed: Aimed): string => {
    const { actions } = this.options;
    return actions === 'coordinates' ? writeAction(aimed.action) : writeShort(aimed, actions);
  };

  /** Valid actions, or null if they have not changed. */
  private newActions(): readonly string[] | null {
    const typed = [...new Set([...quotedIn(this.made.goal), ...this.texts])];
    const actions = [...new Set(offersOf(this.phone, typed).map(this.write))];
    if (actions.length === this.listed.length && actions.every((action, k) => action === this.listed[k])) return null;
    this.listed = actions;
    return actions;
  }

  plan(): string[] | null {
    if (this.judgement) return null;
    return planFrom(this.progress(), this.made, this.judge)?.map(this.write) ?? null;
  }

  private note(text: string, ok: boolean, { action, ...seen }: Noted): void {
    const turn = this.turns.length + 1;
    this.turns.push({ turn, action: text.slice(0, 500), ok, point: pointOf(action), ...seen });
    if (this.turns.length > mostTurnsSeen) this.turns.shift();
  }

  /** The turns with the rewards of their steps. */
  private measuredTurns(): readonly TurnSeen[] {
    if (this.options.stepReward) return this.turns;
    this.measured ??= this.again();
    for (const text of this.pending.splice(0)) this.measured.step(text);
    return this.measured.turns;
  }

  view(): PhoneView {
    const reached = this.judge.reached(this.phone.state);
    const { before, judgement, ended } = this;
    const turns = this.measuredTurns();
    return viewOf(this.phone, this.made, { before, turns, judgement, ended, reached });
  }
}

const isEnd = (action: Action): action is Action & { name: End } => (ends as readonly string[]).includes(action.name);

function pointOf(action: Action | null): TurnSeen['point'] {
  if (!action) return null;
  if ('x' in action) return { x: action.x, y: action.y };
  return 'x1' in action ? { x: action.x1, y: action.y1 } : null;
}
