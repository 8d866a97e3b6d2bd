/**
 * One task tried twice, side by side: with the random weights of the start and with the trained ones. Prefers a task
 * that failed before and succeeds now, and states how many tasks each solves.
 */
import { msg, str } from '@lit/localize';
import { html, nothing, type PropertyValues } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { LiveTurn } from '../../session/protocol.ts';
import { Panel } from '../control/panel.ts';
import { loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import { moveText } from '../state/move-text.ts';
import '../worlds/world-view.ts';
import { beforeAfterStyles } from './styles.ts';

const turnMs = 700;
/** Turns that the last picture stays before the tries begin again. */
const restTurns = 4;
const tasks = [0, 1, 2, 3, 4, 5, 6, 7];

export interface Pair {
  before: readonly LiveTurn[];
  after: readonly LiveTurn[];
}

export const solved = (turns: readonly LiveTurn[]): boolean => (turns.at(-1)?.reward ?? 0) > 0;

/** Pairs in the order in which they are shown: first those that only the trained policy solves, then those it solves. */
export function ordered(pairs: readonly Pair[]): Pair[] {
  const rank = ({ before, after }: Pair) => (solved(after) ? (solved(before) ? 1 : 0) : 2);
  return pairs.filter(({ before, after }) => before.length > 0 && after.length > 0).sort((a, b) => rank(a) - rank(b));
}

@customElement('tabgym-before-after')
export class TabgymBeforeAfter extends Panel {
  static override styles = [controls, beforeAfterStyles];

  @state() private pairs: readonly Pair[] | null = null;
  @state() private shown = 0;
  @state() private turn = Number.POSITIVE_INFINITY;
  private loadedFor = '';
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super(['run', 'records', 'locale']);
  }

  override connectedCallback() {
    super.connectedCallback();
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    this.turn = 0;
    this.timer = setInterval(() => this.next(), turnMs);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  protected override willUpdate(changed: PropertyValues) {
    super.willUpdate(changed);
    const { run } = this.state;
    const wanted = run ? `${run.id}/${run.step}` : '';
    if (wanted === this.loadedFor) return;
    this.loadedFor = wanted;
    this.pairs = null;
    if (run) void this.load(run.id, wanted);
  }

  private async load(id: string, wanted: string) {
    const played = (weights: 'first' | 'last') => this.app.api.tries(id, { weights, split: 'test', tasks });
    // One after the other: they use the same policy.
    const both = async () => ({ before: await played('first'), after: await played('last') });
    // A later use of the policy stops this one; its tries are then played again.
    const found = await both().catch(() => null);
    if (wanted !== this.loadedFor) return;
    this.pairs = ordered(found ? found.before.map((before, k) => ({ before, after: found.after[k] ?? [] })) : []);
    this.show(0);
  }

  private show(shown: number) {
    this.shown = shown;
    if (this.timer !== undefined) this.turn = 0;
  }

  private next() {
    const pair = this.pairs?.[this.shown];
    if (!pair || document.hidden) return;
    const longest = Math.max(pair.before.length, pair.after.length);
    this.turn = (this.turn + 1) % (longest + restTurns);
  }

  override render() {
    const { pairs, shown } = this;
    if (!pairs) return loadingState(msg('Trying the same tasks before and after'));
    const pair = pairs[shown];
    if (!pair) return nothing;
    const count = (side: keyof Pair) => pairs.filter((each) => solved(each[side])).length;
    return html`<div class="row spread head">
        <p>${msg(str`Of ${pairs.length} tasks it never trained on, it solved ${count('before')} before training and solves ${count('after')} now.`)}</p>
        <button @click=${() => this.show((shown + 1) % pairs.length)}>${msg('Another task')} ›</button></div>
      <div class="pair">${this.renderSide(msg('Before'), pair.before)}${this.renderSide(msg('After'), pair.after)}</div>`;
  }

  private renderSide(title: string, turns: readonly LiveTurn[]) {
    const at = Math.min(this.turn, turns.length - 1);
    const ended = at === turns.length - 1;
    const won = solved(turns);
    return html`<section aria-label=${title}>
      <h2>${title} ${ended ? html`<span class="badge ${won ? 'good' : 'bad'}">${won ? `✓ ${msg('success')}` : `✕ ${msg('failure')}`}</span>` : nothing}</h2>
      <tabgym-world-view .view=${turns[at].view}></tabgym-world-view>
      <p class="soft small"><span class="number">${moveText(at, turns[at].horizon)}</span> <span class="mono">${turns[at].action}</span></p>
    </section>`;
  }
}
