/**
 * An update as a moving picture, of the selected group: the returns fall to their values, their mean is drawn through
 * them, the advantages grow from the mean, and the probabilities of the sampled tokens move. Each stage can be chosen;
 * with reduced motion nothing plays by itself.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type PropertyValues, svg } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { StepInspection } from '../../session/protocol.ts';
import { tryCount } from '../kit/counts.ts';
import { fixed, signed } from '../kit/format.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import { groupStatistics } from '../state/episodes.ts';
import { shownReward } from '../state/reward-parts.ts';

const stageMs = 1900;
const stages = 4;
const [width, height, top, bottom] = [340, 170, 22, 138];

/** Mean probability of an episode's trained tokens before and after the step; null if the step was not examined. */
export function meanProbability(
  inspection: StepInspection | null,
  { group, member }: Pick<Trajectory, 'group' | 'member'>,
): { before: number; after: number } | null {
  const found = inspection?.episodes.find((each) => each.group === group && each.member === member);
  if (!found?.before.length) return null;
  const mean = (values: Float32Array) => values.reduce((sum, each) => sum + Math.exp(each), 0) / values.length;
  return { before: mean(found.before), after: mean(found.after) };
}

@customElement('tabgym-update-motion')
export class TabgymUpdateMotion extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 6px;
      }
      svg {
        width: 100%;
        max-width: 420px;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface-2);
      }
      text {
        font: 10px var(--sans);
        fill: var(--text-2);
        text-anchor: middle;
      }
      circle {
        fill: var(--series-1);
        stroke: var(--surface);
        transition: transform 900ms cubic-bezier(0.3, 1.25, 0.5, 1);
      }
      .bar {
        transform-box: fill-box;
        transition: transform 900ms ease-out;
      }
      .bar.up {
        fill: var(--good);
        transform-origin: bottom;
      }
      .bar.down {
        fill: var(--bad);
        transform-origin: top;
      }
      .mean {
        stroke: var(--text);
        stroke-width: 1.5;
        stroke-dasharray: 5 4;
        transition: opacity 700ms;
      }
      .moved {
        transition: opacity 700ms;
      }
      .stages {
        gap: 4px;
      }
      .stages > button {
        flex: 1 1 auto;
        padding-inline: 6px;
      }
    `,
  ];

  @property({ attribute: false }) members: readonly Trajectory[] = [];
  @property({ attribute: false }) inspection: StepInspection | null = null;
  @state() private stage = stages - 1;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private shown: readonly Trajectory[] = [];

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  protected override willUpdate(changed: PropertyValues) {
    if (changed.has('members') && this.members[0] !== this.shown[0]) {
      this.shown = this.members;
      this.choose(stages - 1);
    }
  }

  private choose(stage: number) {
    clearTimeout(this.timer);
    this.stage = stage;
  }

  private play() {
    this.choose(-1);
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return this.choose(0);
    const next = () => {
      this.stage += 1;
      if (this.stage < stages - 1) this.timer = setTimeout(next, stageMs);
    };
    this.timer = setTimeout(next, 150);
  }

  override render() {
    const { members, stage } = this;
    if (members.length < 2) return nothing;
    const names = [msg('Returns'), msg('Mean'), msg('Advantages'), msg('Probabilities')];
    return html`${this.renderPicture()}
      <p class="small" role="status">${stage < 0 ? ' ' : this.sentence(stage)}</p>
      <div class="row stages" role="group" aria-label=${msg('The update in four stages')}>
        <button class="primary" data-do="play-update" @click=${() => this.play()}><span aria-hidden="true">▶</span> ${msg('Play', { id: 'motion.play' })}</button>
        ${names.map((name, k) => html`<button aria-pressed=${k === stage ? 'true' : 'false'} @click=${() => this.choose(k)}>${name}</button>`)}
      </div>`;
  }

  private sentence(stage: number) {
    const { mean, signal } = groupStatistics(this.members);
    const count = this.members.length;
    const moved = this.members.some((each) => meanProbability(this.inspection, each));
    return [
      msg(str`${tryCount(count)} of one task, each with its return.`),
      msg(str`Their mean is ${fixed(mean)}: what this policy reaches on this task.`),
      signal
        ? msg('A try above the mean has a positive advantage, a try below it a negative one.')
        : msg('All returns are equal, so no advantage differs from 0, and this group teaches nothing.'),
      moved
        ? msg('The update made the tokens of the tries with positive advantage more likely, and the others less.')
        : msg(
            'The update makes the tokens of the tries with positive advantage more likely. Look into the update to see by how much.',
          ),
    ][stage];
  }

  private renderPicture() {
    const { members, stage } = this;
    const { mean } = groupStatistics(members);
    const scores = members.map(shownReward);
    const [low, high] = [Math.min(0, ...scores), Math.max(1, ...scores)];
    const yOf = (score: number) => bottom - ((score - low) / (high - low)) * (bottom - top);
    const step = width / members.length;
    const label = msg(str`Returns ${scores.map((each) => fixed(each)).join(', ')}; mean ${fixed(mean)}`);
    return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label=${label}>
      <line class="mean" x1="0" x2=${width} y1=${yOf(mean)} y2=${yOf(mean)} .style=${`opacity:${stage >= 1 ? 1 : 0}`} />
      ${members.map((each, k) => this.renderMember(each, { x: (k + 0.5) * step, step, y: yOf(shownReward(each)), mean: yOf(mean) }))}
    </svg>`;
  }

  private renderMember(member: Trajectory, { x, step, y, mean }: { x: number; step: number; y: number; mean: number }) {
    const { stage } = this;
    const up = y < mean;
    const moved = meanProbability(this.inspection, member);
    const bar = Math.min(16, step * 0.5);
    return svg`<rect class="bar ${up ? 'up' : 'down'}" x=${x - bar / 2} y=${Math.min(y, mean)} width=${bar} height=${Math.abs(y - mean)} .style=${`transform:scaleY(${stage >= 2 ? 1 : 0})`} />
      <circle cx=${x} cy=${y} r="5" .style=${`transform:translateY(${stage >= 0 ? 0 : -y - 8}px);transition-delay:${Math.round(x * 1.2)}ms`} />
      ${stage >= 2 ? svg`<text x=${x} y=${height - 18}>${signed(member.advantage, 1)}</text>` : nothing}
      ${stage >= 3 && moved ? svg`<text class="moved" x=${x} y=${height - 5} .style=${`fill:var(${moved.after > moved.before ? '--good' : '--bad'})`}>${moved.after > moved.before ? '▲' : '▼'}${fixed(Math.abs(moved.after - moved.before), 2)}</text>` : nothing}`;
  }
}
