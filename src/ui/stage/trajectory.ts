/**
 * TRAJECTORY: the turns of an episode with every token as sampled, shaded by surprise. An underline, a mark and a
 * label, in addition to colour, separate the policy's tokens from the world's. For speed, only the turns around the
 * chosen one are drawn in long episodes (ten thousand tokens).
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type PropertyValues } from 'lit';
import { customElement, query } from 'lit/decorators.js';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { Panel } from '../control/panel.ts';
import { tokenCount, turnCount } from '../kit/counts.ts';
import { fixed, gap, signed } from '../kit/format.ts';
import { emptyState, errorState, loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import type { GroupViews } from '../kit/view-kind.ts';
import { endingNames, type Segment, segmentsByTurn, taskLabel } from '../state/episodes.ts';
import { shownStep } from '../state/focus.ts';
import { highlightStyle } from '../state/highlight.ts';
import { partsOf, shownReward } from '../state/reward-parts.ts';
import './alternatives.ts';
import { noEpisodes } from './no-episodes.ts';
import { contextOf, contextSentence, type ReadContext } from './read-context.ts';
import { partStyles, partsTemplate } from './reward-parts.ts';
import './token-details.ts';
import type { TabgymTokenDetails } from './token-details.ts';
import { gapBefore, needsSpaces, tokenStyles, tokenTemplate, tokenText } from './tokens.ts';
import { mostTokens, turnWindow } from './turn-window.ts';
import '../worlds/world-view.ts';

/** Writer of a segment's tokens, and the name of their list. */
function segmentWords(kind: Segment['kind']): { who: string; label: string } {
  if (kind === 'thought') return { who: msg('Thought'), label: msg('Tokens of the thought') };
  if (kind === 'action') return { who: msg('Policy'), label: msg('Tokens of the policy') };
  if (kind === 'summary') return { who: msg('Summary'), label: msg('Tokens of the summary') };
  if (kind === 'request') return { who: msg('Request'), label: msg('Tokens of the request') };
  return { who: msg('World'), label: msg('Tokens of the world') };
}

/** Label of a part of the episode outside the chosen turn's window. */
const notReadBy = (turn: number) => html`<span class="badge">${msg(str`not read by turn ${turn + 1}`)}</span>`;

@customElement('tabgym-trajectory')
export class TabgymTrajectory extends Panel {
  static override styles = [
    controls,
    tokenStyles,
    partStyles,
    css`
      :host {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        height: 100%;
      }
      .head {
        padding: 8px 12px;
        border-block-end: 1px solid var(--line);
        background: var(--surface);
        gap: 4px 12px;
      }
      .head .reward-parts {
        flex: 1 0 100%;
      }
      .scrub {
        flex: 1 1 200px;
        display: flex;
        align-items: center;
        gap: 8px;
      }
      .scrub input {
        flex: 1;
        min-width: 80px;
      }
      .body {
        display: grid;
        grid-template-columns: minmax(0, 1.25fr) minmax(300px, 1fr);
        min-height: 0;
      }
      .turns {
        overflow: auto;
        padding: 8px 12px 24px;
        position: relative;
      }
      .side {
        overflow: auto;
        border-inline-start: 1px solid var(--line);
        background: var(--surface);
        padding: 10px 12px;
        display: grid;
        gap: 12px;
        align-content: start;
      }
      .turn {
        border-inline-start: 3px solid transparent;
        padding: 4px 0 6px 10px;
        content-visibility: auto;
        contain-intrinsic-size: auto 90px;
      }
      .turn.chosen {
        border-color: var(--accent);
      }
      .turn.unread {
        border-inline-start: 3px dotted var(--line);
      }
      .turn > h3 {
        display: flex;
        gap: 8px;
        align-items: center;
        font-size: var(--size-s);
      }
      .turn > .context {
        margin: 0;
      }
      .turn > h3 button {
        min-height: 24px;
        padding: 0 4px;
        font-weight: 650;
      }
      @media (max-width: 860px) {
        :host {
          display: block;
        }
        .body {
          display: block;
        }
        .side {
          border: 0;
          border-block-start: 1px solid var(--line);
        }
      }
    `,
  ];

  @query('tabgym-token-details') private details!: TabgymTokenDetails | null;

  constructor() {
    super(['selection', 'detail', 'run', 'records', 'tokenTexts', 'replay', 'groupViews', 'kept']);
  }

  private get trajectory(): Trajectory | null {
    const { detail, selection } = this.state;
    if (detail.state !== 'ready') return null;
    const group = detail.value.trajectories.filter((each) => each.group === selection.group);
    return group.find((each) => each.member === selection.member) ?? group[0] ?? detail.value.trajectories[0] ?? null;
  }

  override render() {
    const { run, detail } = this.state;
    if (!run || shownStep(this.state) === null)
      return emptyState(
        msg('No episode yet'),
        msg('After the first training step you can read every episode here, turn by turn and token by token.'),
      );
    if (detail.state === 'error')
      return errorState(
        detail.message,
        html`<button @click=${() => this.app.navigation.load()}>${msg('Try again')}</button>`,
      );
    if (detail.state !== 'ready') return loadingState(msg('Reading the episodes of this step'));
    const { trajectory } = this;
    if (!trajectory) return noEpisodes(this.app, detail.value.step);
    const turn = Math.min(this.state.selection.turn, Math.max(0, trajectory.turns.length - 1));
    return html`${this.renderHead(trajectory, turn)}
      <div class="body">
        <div class="turns" @pointerover=${this.point} @click=${this.choose}>${this.renderTurns(trajectory, turn)}</div>
        <div class="side" tabindex="0" role="region" aria-label=${msg('Token and world')}>
          <tabgym-token-details .trajectory=${trajectory} .texts=${this.state.tokenTexts} .position=${this.state.selection.token}></tabgym-token-details>
          <tabgym-alternatives .app=${this.app}></tabgym-alternatives>
          ${this.renderReplay(turn)}
        </div>
      </div>`;
  }

  private renderHead(trajectory: Trajectory, turn: number) {
    const { tokens, turns, ending, advantage, success, horizon, oracleTurns } = trajectory;
    return html`<div class="row head">
      <span><strong>${msg(str`Group ${trajectory.group + 1}, episode ${trajectory.member + 1}`)}</strong> <span class="soft small">${taskLabel(trajectory.task)}</span></span>
      <span class="badge ${success ? 'good' : ''}">${success ? '✓' : '✕'} ${endingNames()[ending]}</span>
      <span class="number small"><span .style=${highlightStyle('return')}>${msg('return')} <strong>${fixed(shownReward(trajectory))}</strong></span> · <span .style=${highlightStyle('advantage')}>${msg('advantage')} <strong class=${advantage > 0 ? 'good' : advantage < 0 ? 'bad' : ''}>${signed(advantage)}</strong></span></span>
      <span class="soft small number">${msg(str`${turns.length} of ${turnCount(horizon)}`)}${oracleTurns === null ? nothing : msg(str`, oracle needs ${oracleTurns}`)} · ${tokenCount(tokens.length)}</span>
      <label class="scrub"><span class="number">${msg(str`Turn ${turn + 1}`)}</span>
        <input type="range" min="0" max=${Math.max(0, turns.length - 1)} .value=${String(turn)} ?disabled=${turns.length < 2}
          @input=${(event: Event) => this.app.navigation.select({ turn: Number((event.target as HTMLInputElement).value) })} /></label>
      ${partsTemplate(partsOf(trajectory))}
    </div>`;
  }

  private renderTurns(trajectory: Trajectory, chosen: number) {
    const [prompt, ...turns] = segmentsByTurn(trajectory);
    const lengths = turns.map((segments) => segments.reduce((sum, each) => sum + each.end - each.start, 0));
    const { from, to } = turnWindow(lengths, chosen);
    const shown = Array.from({ length: Math.max(0, Math.min(to, lengths.length) - from) }, (_, index) => from + index);
    const read = contextOf(trajectory, chosen);
    const jump = (turn: number) => () => this.app.navigation.select({ turn });
    return html`
      ${from === 0 ? this.renderPrompt(trajectory, prompt, read, chosen) : nothing}
      ${from > 0 ? html`<button class="link" @click=${jump(from - 1)}>${msg(str`${from} earlier turns`)}</button>` : nothing}
      ${shown.map((turn) => this.renderTurn(trajectory, turn, turns[turn], { chosen, read }))}
      ${to < lengths.length ? html`<button class="link" @click=${jump(to)}>${msg(str`${lengths.length - to} later turns`)}</button>` : nothing}
    `;
  }

  private renderPrompt(trajectory: Trajectory, segments: readonly Segment[], read: ReadContext | null, chosen: number) {
    const isUnread = read?.form === 'last';
    return html`<section class="turn ${isUnread ? 'unread' : ''}" aria-label=${msg('Task')}><h3>${msg('Task')} <span class="soft">${msg(str`${tokenCount(trajectory.promptLength)}, shared by the group`)}</span>
      ${isUnread ? notReadBy(chosen) : nothing}</h3>
      ${segments.map((segment) => this.renderSegment(trajectory, segment))}</section>`;
  }

  private renderTurn(
    trajectory: Trajectory,
    index: number,
    segments: readonly Segment[],
    at: { chosen: number; read: ReadContext | null },
  ) {
    const turn = trajectory.turns[index];
    const chosen = index === at.chosen;
    const isUnread = at.read !== null && index < at.read.first;
    const own = contextOf(trajectory, index);
    return html`<section class="turn ${chosen ? 'chosen' : isUnread ? 'unread' : ''}" id=${`turn-${index}`} aria-label=${msg(str`Turn ${index + 1}`)}>
      <h3><button class="quiet" aria-pressed=${chosen ? 'true' : 'false'} @click=${() => this.app.navigation.select({ turn: index })}>${msg(str`Turn ${index + 1}`)}</button>
        ${turn.valid ? nothing : html`<span class="badge warn">! ${msg('refused by the world')}</span>`}
        ${turn.reward ? html`<span class="badge ${turn.reward > 0 ? 'good' : 'bad'}" .style=${highlightStyle('reward')}>${msg(str`reward ${fixed(turn.reward, 1)}`)}</span>` : nothing}
        ${isUnread ? notReadBy(at.chosen) : nothing}</h3>
      ${own ? html`<p class="soft small context">${contextSentence(own, index)}</p>` : nothing}
      ${segments.map((segment) => this.renderSegment(trajectory, segment))}
      ${segments.some((each) => each.kind === 'observation') ? nothing : html`<div class="segment"><span class="who">${msg('World')}</span><div class="plain">${turn.observation}</div></div>`}
    </section>`;
  }

  private renderSegment(trajectory: Trajectory, segment: Segment) {
    const { tokenTexts, selection } = this.state;
    const { kind } = segment;
    const { who, label } = segmentWords(kind);
    const policy = kind === 'thought' || kind === 'action' || kind === 'summary';
    const end = Math.min(segment.end, segment.start + mostTokens);
    const spaced = needsSpaces(tokenTexts);
    const textAt = (position: number) => tokenText(tokenTexts, trajectory.tokens[position]);
    const positions = Array.from({ length: end - segment.start }, (_, index) => segment.start + index);
    return html`<div class="segment ${policy ? 'policy' : 'world'} ${kind === 'thought' || kind === 'summary' ? 'thought' : ''}">
      <span class="who"><span aria-hidden="true">${policy ? '◆' : '○'}</span> ${who}</span>
      <div class="stream ${spaced ? 'spaced' : ''}" role="listbox" tabindex="0" aria-label=${label}
        aria-activedescendant=${selection.token !== null && selection.token >= segment.start && selection.token < end ? `k${selection.token}` : nothing}
        @keydown=${(event: KeyboardEvent) => this.walk(event, segment.start, end)}>${positions.map((position) => [
          position > segment.start ? gapBefore(textAt(position), textAt(position - 1), spaced) : '',
          tokenTemplate(trajectory, position, tokenTexts, position === selection.token),
        ])}</div>
      ${end < segment.end ? html`<span class="soft small">${msg(str`not drawn: ${tokenCount(segment.end - end)}`)}</span>` : nothing}
    </div>`;
  }

  /** Moves the selection along the tokens of a segment with the arrow keys. */
  private walk(event: KeyboardEvent, start: number, end: number) {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!by && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    const now = this.state.selection.token;
    const inside = now !== null && now >= start && now < end;
    this.selectToken(inside ? Math.max(start, Math.min(end - 1, now + by)) : start);
  }

  private selectToken(token: number) {
    const turn = this.trajectory?.turnOf[token] ?? -1;
    this.app.navigation.select(turn >= 0 ? { turn, token } : { token });
  }

  private positionOf(event: Event): number | null {
    const element = event.target as HTMLElement;
    const text = element.closest<HTMLElement>('[role=option]')?.dataset.k;
    return text === undefined ? null : Number(text);
  }

  /** Shows the details of the token under the pointer without drawing the tokens again. */
  private point(event: Event) {
    const position = this.positionOf(event);
    if (position !== null && this.details) this.details.pointed = position;
  }

  private choose(event: Event) {
    const position = this.positionOf(event);
    if (position !== null) this.selectToken(position);
  }

  private get groupViews(): GroupViews {
    const { groupViews } = this.state;
    return { state: groupViews.state, views: groupViews.state === 'ready' ? groupViews.value : [] };
  }

  private wantGroup = () => void this.app.navigation.loadGroupViews();

  private renderReplay(turn: number) {
    const { replay } = this.state;
    if (replay.state === 'loading') return html`<p class="soft" role="status">${msg('Replaying the world')}…</p>`;
    if (replay.state === 'error')
      return html`<div class="message warning">${msg('The world could not be replayed.')}${gap()}${replay.message}</div>`;
    if (replay.state !== 'ready') return nothing;
    const frames = replay.value;
    const after = frames.find((frame) => frame.turn === turn) ?? frames.at(-1);
    if (!after) return nothing;
    return html`<div><h2>${msg(str`The world after turn ${after.turn + 1}`)}</h2><tabgym-world-view .view=${after.view} .group=${this.groupViews} @world-group=${this.wantGroup}></tabgym-world-view></div>`;
  }

  protected override updated(_: PropertyValues) {
    const { turn } = this.state.selection;
    const element = this.renderRoot.querySelector(`#turn-${turn}`);
    if (turn === this.scrolledTo || !element) return;
    this.scrolledTo = turn;
    element.scrollIntoView({ block: 'nearest' });
  }

  private scrolledTo = -1;
}
