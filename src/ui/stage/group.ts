/** GROUP: all groups of a step as a grid, and the episodes of one group with return, advantage and ending. */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { goalIn } from '../../envs/goal.ts';
import { algorithmOf } from '../../rl/algorithms/registry.ts';
import { groupBy } from '../../rl/common/numbers.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { Panel } from '../control/panel.ts';
import { turnCount } from '../kit/counts.ts';
import { fixed, signed } from '../kit/format.ts';
import { emptyState, errorState, loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import {
  endingNames,
  firstAction,
  groupStatistics,
  type PrintedAdvantage,
  printedAdvantage,
  taskLabel,
} from '../state/episodes.ts';
import { highlightStyle } from '../state/highlight.ts';
import { partsOf, shownReward } from '../state/reward-parts.ts';
import { noEpisodes } from './no-episodes.ts';
import { partStyles, partsTemplate } from './reward-parts.ts';

/** Forms of the chosen group; the choice is kept while the page lives. */
type GroupForm = 'episodes' | 'tree';
let lastForm: GroupForm = 'episodes';

@customElement('tabgym-group')
export class TabgymGroup extends Panel {
  static override styles = [
    controls,
    partStyles,
    css`
      :host {
        display: block;
        padding: 12px;
      }
      .layout {
        display: grid;
        grid-template-columns: minmax(230px, 30%) minmax(0, 1fr);
        gap: 18px;
        align-items: start;
      }
      .grid {
        display: grid;
        gap: 2px;
        max-height: 60vh;
        overflow: auto;
        padding: 2px;
      }
      .grid button {
        display: grid;
        grid-template-columns: 2.2em auto minmax(0, 1fr);
        min-height: 24px;
        padding: 2px 6px;
        gap: 0 6px;
        align-items: baseline;
        border-color: transparent;
        background: none;
        text-align: start;
      }
      .grid button[aria-pressed='true'] {
        border-color: var(--accent);
      }
      .cells {
        display: flex;
        flex-wrap: wrap;
        max-width: 7em;
        font-family: var(--mono);
      }
      .goal {
        font-weight: 600;
      }
      .goal,
      .first {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .first {
        grid-column: 2 / -1;
        color: var(--text-2);
        font-size: var(--size-s);
      }
      .cell {
        width: 0.85em;
        text-align: center;
      }
      .cell.yes {
        color: var(--good);
      }
      .cell.no {
        color: var(--line-strong);
      }
      .index {
        text-align: end;
        color: var(--text-2);
        font-size: var(--size-s);
      }
      .formula {
        font-family: var(--mono);
        font-size: var(--size-s);
        color: var(--text-2);
        margin: 4px 0 10px;
        overflow-wrap: anywhere;
      }
      .episodes {
        display: grid;
        gap: 4px;
      }
      .episode {
        display: grid;
        grid-template-columns: 2.2em 5em 150px 11.5em minmax(0, 1fr);
        gap: 10px;
        align-items: center;
        justify-content: stretch;
        text-align: start;
        padding: 5px 8px;
        white-space: normal;
      }
      .meaning {
        max-width: 90ch;
        margin-block-end: 12px;
        color: var(--text-2);
      }
      .forms {
        gap: 4px;
        margin-block-end: 8px;
      }
      .headings > span {
        /* On the spans: the columns are in the font size of the rows. */
        font-size: var(--size-s);
      }
      .headings {
        border: 1px solid transparent;
        padding-block: 0 2px;
      }
      .episode[aria-pressed='true'] {
        color: var(--text);
      }
      .ending {
        white-space: nowrap;
      }
      .actions {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        font-family: var(--mono);
        font-size: var(--size-s);
        color: var(--text-2);
      }
      .advantage {
        display: grid;
        grid-template-columns: 1fr 4.6em;
        gap: 6px;
        align-items: center;
      }
      .bar {
        position: relative;
        height: 8px;
        background: linear-gradient(to right, transparent calc(50% - 0.5px), var(--line-strong) 0 calc(50% + 0.5px), transparent 0), var(--surface-3);
        border-radius: 2px;
      }
      .bar span {
        position: absolute;
        top: 0;
        bottom: 0;
        border-radius: 2px;
      }
      .bar .up {
        left: 50%;
        background: var(--good);
      }
      .bar .down {
        right: 50%;
        background: repeating-linear-gradient(45deg, var(--bad) 0 3px, transparent 3px 5px);
      }
      @media print {
        .grid {
          max-height: none !important;
        }
      }
      @media (max-width: 860px) {
        .layout {
          grid-template-columns: minmax(0, 1fr);
        }
        .grid {
          max-height: 220px;
        }
        .episode {
          grid-template-columns: 2.2em 5.6em minmax(0, 1fr);
        }
        .actions {
          grid-column: 1 / -1;
          white-space: normal;
          overflow-wrap: anywhere;
        }
        .goal,
        .first {
          white-space: normal;
        }
        .headings > :nth-child(n + 4) {
          display: none;
        }
        .ending {
          grid-column: 1 / -1;
        }
      }
    `,
  ];

  @state() private form = lastForm;
  /** The tree's code, which most visits do not need, is loaded. */
  @state() private isTreeLoaded = customElements.get('tabgym-group-tree') !== undefined;

  constructor() {
    super(['selection', 'detail', 'run', 'records', 'status', 'kept']);
  }

  override render() {
    const { run, detail, records } = this.state;
    if (!run || !records.some((record) => record.step > 0))
      return emptyState(
        msg('No step yet'),
        msg(
          'After the first training step its groups appear here. A group is several episodes of the same task, compared with each other.',
        ),
      );
    if (detail.state === 'error')
      return errorState(
        detail.message,
        html`<button @click=${() => this.app.navigation.load()}>${msg('Try again')}</button>`,
      );
    if (detail.state !== 'ready') return loadingState(msg('Reading the episodes of this step'));
    if (!detail.value.trajectories.length) return noEpisodes(this.app, detail.value.step);
    return this.renderStep(detail.value.trajectories);
  }

  private renderStep(all: readonly Trajectory[]) {
    const groups = groupBy(all, ({ group }) => group);
    const chosen = groups.has(this.state.selection.group) ? this.state.selection.group : [...groups.keys()][0];
    return html`<p class="meaning">${msg('A group: tries of one task by the same policy. Return: the sum of a try’s rewards. Advantage: the return compared with the mean of the group. Actions of a try above the mean (▲) become more likely in the update, those of a try below it (▼) less likely.')}</p>
      <div class="layout">
      <div><h2 id="groups">${msg('Groups of this step')}</h2>
        <div class="grid" role="group" aria-labelledby="groups">${[...groups].map(([index, members]) => this.renderRow(index, members, index === chosen))}</div>
        <p class="small soft"><span aria-hidden="true">● ○</span> ${msg('success, failure')}</p>
      </div>
      ${this.renderGroup(chosen, groups.get(chosen)!)}
    </div>`;
  }

  private renderRow(index: number, members: readonly Trajectory[], pressed: boolean) {
    const won = members.filter((each) => each.success).length;
    const goal = goalIn(members[0].prompt);
    const first = this.firstText(members);
    const result = msg(str`Group ${index + 1}: ${won} of ${members.length} succeed.`);
    return html`<button aria-pressed=${pressed ? 'true' : 'false'} title=${`${goal}\n${taskLabel(members[0].task)}`} @click=${() => this.app.navigation.select({ group: index })}>
      <span class="visually-hidden">${result}</span><span class="index" aria-hidden="true">${index + 1}</span><span class="cells" aria-hidden="true">${members.map((each) => html`<span class="cell ${each.success ? 'yes' : 'no'}">${each.success ? '●' : '○'}</span>`)}</span><span class="goal">${goal}</span>
      <span class="first">${first}</span>
    </button>`;
  }

  /** The most frequent first action of a group's episodes, as a sentence. */
  private firstText(members: readonly Trajectory[]): string {
    const first = firstAction(members);
    if (!first) return msg('No action was taken.');
    return first.count === members.length
      ? msg(str`All begin with ${first.action}`)
      : msg(str`${first.count} of ${members.length} begin with ${first.action}`);
  }

  private renderGroup(index: number, members: readonly Trajectory[]) {
    const { mean, std, signal } = groupStatistics(members);
    const best = members.reduce((a, b) => (b.advantage > a.advantage ? b : a));
    const printed = signal ? this.printed(best, { mean, std }) : null;
    return html`<div>
      <h3>${msg(str`Group ${index + 1}: ${goalIn(members[0].prompt)}`)} <span class="small soft">${taskLabel(members[0].task)}</span>
        ${signal ? nothing : html`<span class="badge warn">! ${msg('no signal: all returns are equal')}</span>`}</h3>
      <p class="formula" .style=${highlightStyle('group')}>${msg('mean return')} ${printed?.mean ?? fixed(mean)} · ${msg('standard deviation')} ${printed?.std ?? fixed(std)}${
        printed ? html` · ${msg('advantage of the best episode')} = ${this.formula(printed)}` : nothing
      }</p>
      ${this.renderForms()}
      ${this.form === 'tree' ? this.renderTree(index, members) : this.renderEpisodes(members)}
    </div>`;
  }

  private renderForms() {
    const names: { [form in GroupForm]: string } = { episodes: msg('Episodes'), tree: msg('Tree') };
    const button = (form: GroupForm) =>
      html`<button aria-pressed=${form === this.form ? 'true' : 'false'} @click=${() => this.choose(form)}>${names[form]}</button>`;
    return html`<div class="row forms" role="group" aria-label=${msg('Form of the group')}>${button('episodes')}${button('tree')}</div>`;
  }

  private choose(form: GroupForm) {
    this.form = form;
    lastForm = form;
  }

  private renderTree(group: number, members: readonly Trajectory[]) {
    if (!this.isTreeLoaded) {
      void import('./group-tree.ts').then(() => {
        this.isTreeLoaded = true;
      });
      return loadingState(msg('Drawing the tree'));
    }
    const { run, selection } = this.state;
    const algorithm = run?.experiment.algorithm;
    const rules = algorithm && 'endings' in algorithm ? algorithm.endings : null;
    const open = (place: { member: number; turn: number }) =>
      this.app.navigation.select({ group, ...place, tab: 'trajectory' });
    return html`<tabgym-group-tree .episodes=${members} .rules=${rules} .place=${selection} .open=${open}></tabgym-group-tree>`;
  }

  private renderEpisodes(members: readonly Trajectory[]) {
    return html`<div class="episode headings soft" aria-hidden="true"><span></span><span>${msg('Return')}</span><span>${msg('Advantage')}</span><span>${msg('Ending')}</span><span>${msg('Actions')}</span></div>
      <div class="episodes">${members.map((each) => this.renderEpisode(each, members))}</div>`;
  }

  private printed(best: Trajectory, group: { mean: number; std: number }) {
    const algorithm = this.state.run?.experiment.algorithm;
    return printedAdvantage(best, group, algorithm !== undefined && algorithmOf(algorithm).baseline === 'mean-std');
  }

  /** Formula of the advantage with the numbers of one episode. */
  private formula({ score, mean, std, result }: PrintedAdvantage) {
    const difference = `${score} − ${mean}`;
    return std === undefined ? html`${difference} = ${result}` : html`(${difference}) / ${std} = ${result}`;
  }

  private renderEpisode(each: Trajectory, members: readonly Trajectory[]) {
    const most = Math.max(...members.map((other) => Math.abs(other.advantage)), 1e-6);
    const width = `${(50 * Math.abs(each.advantage)) / most}%`;
    const { selection } = this.state;
    const open = () => this.app.navigation.select({ group: each.group, member: each.member, tab: 'trajectory' });
    const sign = each.advantage > 0 ? '▲' : each.advantage < 0 ? '▼' : '■';
    return html`<button class="episode" aria-pressed=${selection.member === each.member ? 'true' : 'false'} @click=${open}>
      <span class="number soft">${each.member + 1}</span>
      <span class="number" .style=${highlightStyle('return')}><span class="visually-hidden">${msg('Return')} </span>${each.success ? '✓' : '✕'} ${fixed(shownReward(each))}</span>
      <span class="advantage" .style=${highlightStyle('advantage')}><span class="bar" aria-hidden="true"><span class=${each.advantage >= 0 ? 'up' : 'down'} .style=${`width:${width}`}></span></span>
        <span class="number ${each.advantage > 0 ? 'good' : each.advantage < 0 ? 'bad' : 'soft'}"><span class="visually-hidden">${msg('Advantage')} </span><span aria-hidden="true">${sign}</span> ${signed(each.advantage)}</span></span>
      <span class="ending"><span class="badge ${each.success ? 'good' : ''}">${endingNames()[each.ending]}</span> <span class="small soft number">${turnCount(each.turns.length)}</span></span>
      <span class="actions">${each.turns.map((turn) => turn.action).join(' → ')}</span>
      ${partsTemplate(partsOf(each))}
    </button>`;
  }
}
