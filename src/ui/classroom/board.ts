/**
 * The board of a class: a small curve for everyone, all curves over each other, who is stuck; to project and to print.
 * A page of its own, without a trainer.
 */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { type ClassLine, overlaySvg } from '../../classroom/class-page.ts';
import type { BoardMember, Stuck } from '../../classroom/together/board.ts';
import { ClassRefused } from '../../classroom/together/http-client.ts';
import type { ClassReport } from '../../classroom/together/messages.ts';
import { colon, listed, percent } from '../kit/format.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import { boardStyles } from './board-styles.ts';
import { type BoardView, ClassClient, refusalText } from './class-client.ts';
import { classroomStyles } from './styles.ts';

const everyMs = 2000;

const statusTexts = (): { [status in ClassReport['status']]: string } => ({
  idle: msg('not started'),
  running: msg('training'),
  paused: msg('paused'),
  finished: msg('finished'),
  failed: msg('failed'),
});

const stuckTexts = (): { [stuck in Stuck]: string } => ({
  failed: msg('The run failed'),
  flat: msg('Success does not rise'),
});

/** Line of a run: held-out success where it was measured, otherwise the success of its steps. */
const lineOf = ({ name, report }: BoardMember, heldOut: boolean): ClassLine => ({
  label: name,
  points: heldOut ? (report?.heldOut ?? []).map(([step, rate]) => [step, rate] as const) : (report?.curve ?? []),
});

@customElement('tabgym-board')
export class TabgymBoard extends LocalizedElement {
  static override styles = [controls, classroomStyles, boardStyles];

  @property({ attribute: false }) code = '';
  @property({ attribute: false }) key: string | null = null;
  @state() private view: BoardView | null = null;
  /** Reason why the board is not up to date; empty: it is. */
  @state() private problem = '';
  private client: ClassClient | null = null;
  private timer: ReturnType<typeof setInterval> | undefined;

  override connectedCallback() {
    super.connectedCallback();
    this.client = new ClassClient(this.code, this.key);
    void this.load();
    this.timer = setInterval(() => void this.load(), everyMs);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  private async load() {
    try {
      this.view = await this.client!.board();
      this.problem = '';
    } catch (error) {
      this.problem = error instanceof ClassRefused ? error.message : refusalText(error);
    }
  }

  private async removeMember(id: number) {
    await this.client!.remove(id).catch((error) => {
      this.problem = error.message;
    });
    await this.load();
  }

  override render() {
    const { view } = this;
    return html`<main>
      ${this.problem ? html`<p class="message warning" role="status">${this.problem}</p>` : nothing}
      ${view ? this.renderView(view) : this.problem ? nothing : html`<p role="status">${msg('Opening the board')}</p>`}
    </main>`;
  }

  private renderView({ title, members }: BoardView) {
    const stuck = members.filter((each) => each.stuck);
    const measured = members.filter(({ report }) => (report?.heldOut.length ?? 0) > 1);
    return html`<header><h1>${title}</h1>
        <p class="join">${this.renderInvitation()}</p>
        <button class="screen" data-do="print" @click=${() => print()}>${msg('Print')}</button></header>
      ${members.length ? nothing : html`<p>${msg('Nobody has joined yet.')}</p>`}
      <ul class="tiles" aria-label=${msg('Everyone in the class')}>${members.map((each) => this.renderMember(each))}</ul>
      ${measured.length ? this.renderOverlay(msg('Held-out success of all runs, by step'), measured, true) : nothing}
      ${members.some(({ report }) => report?.curve.length) ? this.renderOverlay(msg('Success of all runs, by step'), members, false) : nothing}
      <section><h2>${msg('Where the class is stuck')}</h2>
        ${stuck.length ? html`<ul>${stuck.map((each) => html`<li>${each.name}${colon()}${stuckTexts()[each.stuck!]}</li>`)}</ul>` : html`<p class="soft">${msg('Nobody, as far as the curves show.')}</p>`}
        <p class="soft small">${msg('A run counts as stuck if it failed, or if over 20 steps or more the last half is not 5 points better than the first and below 90%.')}</p></section>`;
  }

  /** Address and code as elements of one sentence: a translated text is plain, so its elements are put in afterwards. */
  private renderInvitation() {
    const [address, code] = ['{address}', '{code}'];
    const elements = new Map([
      [address, html`<strong class="mono">${location.origin}</strong>`],
      [code, html`<strong class="mono code">${this.code.replace(/(.{4})(?=.)/g, '$1-')}</strong>`],
    ]);
    const sentence = msg(str`Open ${address} and type the code ${code}`);
    return sentence.split(/(\{address\}|\{code\})/).map((part) => elements.get(part) ?? part);
  }

  private renderOverlay(title: string, members: readonly BoardMember[], heldOut: boolean) {
    const lines = members.map((each) => lineOf(each, heldOut));
    const svg = overlaySvg(lines, { title: '', step: msg('Step'), width: 900, height: 360 });
    return html`<section><h2>${title}</h2><img class="curves" alt=${title} src=${`data:image/svg+xml,${encodeURIComponent(svg)}`} /></section>`;
  }

  private renderMember(member: BoardMember) {
    const { id, name, away, stuck, report } = member;
    const badge = stuck ? html`<span class="badge warn">${stuckTexts()[stuck]}</span>` : nothing;
    return html`<li class=${away ? 'tile away' : 'tile'} data-member=${name}>
      <div class="row"><strong class="name">${name}</strong>${away ? html`<span class="badge">${msg('away')}</span>` : nothing}${badge}
        ${this.key ? html`<button class="quiet screen" aria-label=${msg(str`Remove ${name}`)} @click=${() => this.removeMember(id)}>✕</button>` : nothing}</div>
      ${report ? this.renderReport(member, report) : html`<p class="soft small">${msg('No run yet')}</p>`}</li>`;
  }

  private renderReport(member: BoardMember, { run, step, steps, status, curve, heldOut }: ClassReport) {
    const title = heldOut.length > 1 ? msg('Held-out success') : msg('Success');
    const svg = overlaySvg([{ ...lineOf(member, heldOut.length > 1), label: title }], {
      ...{ title: '', step: msg('Step'), width: 260, height: 150 },
    });
    const last = heldOut.at(-1);
    const now = curve.at(-1)?.[1];
    return html`<p class="small">${run}${colon()}${listed([statusTexts()[status], msg(str`step ${step} of ${steps}`)])}</p>
      <p class="number small">${now === undefined ? nothing : html`${msg('Success')} ${percent(now)}`}
        ${last ? html` · ${msg('held-out')} ${percent(last[1])} <span class="soft">(${percent(last[2])}–${percent(last[3])})</span>` : nothing}</p>
      <img class="curves" alt=${msg(str`${title} of ${member.name}, by step`)} src=${`data:image/svg+xml,${encodeURIComponent(svg)}`} />`;
  }
}

/** Replaces the page by the board. */
export function showBoard({ code, key }: { code: string; key: string | null }): void {
  const board = Object.assign(new TabgymBoard(), { code, key });
  document.title = msg('Board of the class');
  document.body.replaceChildren(board);
}
