/**
 * The phone as a person sees it, drawn from the layout's rectangles; the element of the last action is outlined on the
 * screen where it was taken before the next screen is shown. Beside it: the elements, the actions and the judgement.
 */
import { msg, str } from '@lit/localize';
import { html, nothing, type PropertyValues, svg, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import { height, width } from '../layout.ts';
import type { ElementSeen, PhoneView, ScreenSeen } from '../view-data.ts';
import { phoneStyles } from './styles.ts';

/** Duration for which the screen of the last action stays, with its target outlined. */
const targetMs = 700;
/** Duration of a press that counts as a long one. */
const longPressMs = 500;
/** Length of a swipe, as a share of the phone's height. */
const swipeShare = 0.08;

const share = (points: number, of: number) => `${(100 * points) / of}%`;
const placeOf = ({ x, y, w, h }: { x: number; y: number; w: number; h: number }) =>
  `left:${share(x, width)};top:${share(y, height)};width:${share(w, width)};height:${share(h, height)}`;

const centreOf = ({ box: [left, top, right, bottom] }: ElementSeen) =>
  `${Math.round((left + right) / 2)},${Math.round((top + bottom) / 2)}`;

/** Ends and keys that stand outside the screen, with their actions. */
const buttons = (): readonly [string, string][] => [
  [msg('Wait'), 'wait()'],
  [msg('Scroll on'), 'scroll(500,450,up)'],
  [msg('Scroll back'), 'scroll(500,450,down)'],
  [msg('Swipe left'), 'scroll(500,450,left)'],
  [msg('Swipe right'), 'scroll(500,450,right)'],
  [msg('Enter'), 'enter()'],
  [msg('Take a screenshot'), 'screen_shot()'],
  [msg('Task done'), 'finish()'],
  [msg('Cannot be done'), 'no_answer()'],
  [msg('Hand over'), 'take_over(please)'],
];

/** Shape of an app's tile, which follows from its name. */
function tilePicture(name: string): TemplateResult {
  const number = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
  const hue = number % 360;
  return html`<svg viewBox="0 0 40 40" aria-hidden="true">${svg`<rect width="40" height="40" rx="11" fill=${`hsl(${hue} 45% 38%)`} />
    <circle cx=${12 + (number % 3) * 8} cy="16" r="7" fill="#fff" /><rect x="9" y="26" width=${10 + (number % 4) * 4} height="5" rx="2" fill="#fff" />`}</svg>`;
}

@customElement('tabgym-phone-view')
export class TabgymPhoneView extends LocalizedElement {
  static override styles = [controls, phoneStyles];

  @property({ attribute: false }) view: PhoneView | null = null;
  /** True if a person plays; a view that only shows an episode has no working elements. */
  @property({ type: Boolean }) playable = false;
  /** True while the screen of the last action is shown. */
  @state() private looksBack = false;

  private timer = 0;
  private press: { x: number; y: number; at: number; held: boolean } | null = null;

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('view')) return;
    clearTimeout(this.timer);
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.looksBack = !this.playable && !still && Boolean(this.view?.before && this.view.turns.at(-1)?.point);
    if (this.looksBack) this.timer = setTimeout(() => (this.looksBack = false), targetMs) as unknown as number;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  override render() {
    const { view } = this;
    if (!view) return nothing;
    const screen = this.looksBack && view.before ? view.before : view;
    return html`<div class="parts">
      <p class="goal">${msg('Goal')}: <strong>${view.goal}</strong></p>
      <div class="device">${this.renderScreen(screen, this.looksBack ? view.turns.at(-1)!.point : null)}</div>
      <div class="side">
        ${view.outcome ? renderOutcome(view.outcome) : nothing}
        ${this.playable && !view.outcome ? this.renderBar() : nothing}
        ${this.renderElements(view)} ${renderTrail(view)}
      </div>
    </div>`;
  }

  private renderScreen(screen: ScreenSeen, point: { x: number; y: number } | null) {
    const { panel, title, app, toast } = screen;
    const classes = `screen ${screen.dark ? 'dark' : ''} ${screen.largeFont ? 'large' : ''}`;
    const isTarget = ({ box: [left, top, right, bottom] }: ElementSeen) =>
      point !== null && point.x >= left && point.x <= right && point.y >= top && point.y <= bottom;
    return html`<div class=${classes} role="group" aria-label=${msg(str`Screen of the phone: ${title}`)}
      @pointerdown=${this.down} @pointerup=${this.up} @pointercancel=${this.forget} @wheel=${this.wheel}>
      <span class="clock" aria-hidden="true">12:00</span>
      ${panel ? html`<div class="veil"></div><div class="panel" .style=${placeOf(panel)}></div>` : html`<div class="title ${app === 'home' ? 'home' : ''}">${title}</div>`}
      ${[...screen.elements, ...screen.chrome].map((each) => this.renderItem(each, isTarget(each)))}
      ${toast ? html`<div class="toast" role="status">${toast}</div>` : nothing}
      ${point ? html`<div class="touch" .style=${`left:${point.x / 10}%;top:${point.y / 10}%`}></div>` : nothing}
    </div>`;
  }

  private renderItem(each: ElementSeen, target: boolean): TemplateResult {
    const classes = `item ${each.kind} ${each.state} ${target ? 'target' : ''}`;
    const playing = this.playable && !this.view?.outcome;
    if (each.kind === 'field' && playing) return this.renderField(each, classes);
    if (each.kind === 'slider') return this.renderSlider(each, classes, playing);
    const inside = html`${each.kind === 'tile' ? tilePicture(each.text) : nothing}<span>${each.key === 'Back' ? '‹' : each.text}</span>
      ${each.detail ? html`<span class="detail">${each.detail}</span>` : nothing}
      ${each.state ? html`<span class="state">${each.state}</span>` : nothing}`;
    const acts = playing && (each.taps || each.holds || each.kind === 'key');
    return acts
      ? html`<button class=${classes} .style=${placeOf(each)} data-at=${centreOf(each)} ?data-holds=${each.holds}
          aria-label=${each.key === 'Back' ? msg('Back') : nothing} @click=${this.pressed} @contextmenu=${this.menu}>${inside}</button>`
      : html`<div class=${classes} .style=${placeOf(each)}>${inside}</div>`;
  }

  private renderField(each: ElementSeen, classes: string) {
    return html`<input class=${classes} .style=${placeOf(each)} aria-label=${each.text} placeholder=${each.text} maxlength="200"
      .value=${each.detail} data-at=${centreOf(each)} @change=${this.typed} />`;
  }

  private renderSlider(each: ElementSeen, classes: string, playing: boolean) {
    return html`<div class=${classes} .style=${placeOf(each)}><span>${each.text} ${each.state}</span>
      <input type="range" min="0" max="100" step="10" aria-label=${each.text} .value=${each.state} ?disabled=${!playing}
        data-key=${each.key} @change=${this.slid} /></div>`;
  }

  private renderBar() {
    return html`<div class="bar" role="group" aria-label=${msg('Actions beside the screen')}>${buttons().map(
      ([label, action]) => html`<button @click=${() => this.send(action)}>${label}</button>`,
    )}</div>`;
  }

  private renderElements({ elements, above, below }: PhoneView) {
    return html`<div>
      <h3>${msg('Elements')}</h3>
      <div class="scrolls" tabindex="0" role="region" aria-label=${msg('Elements')}>
        <table>
          <thead><tr><th>${msg('No.')}</th><th>${msg('Kind')}</th><th>${msg('Text')}</th><th>${msg('State')}</th><th>${msg('Box')}</th></tr></thead>
          <tbody>${elements.map(
            ({ number, kind, text, detail, state: word, box }) =>
              html`<tr><td>${number || '–'}</td><td>${kind}</td><td>${text}${detail ? html` · ${detail}` : nothing}</td><td>${word}</td><td>${box.join(' ')}</td></tr>`,
          )}</tbody>
        </table>
      </div>
      ${above.length ? html`<p class="soft small">${msg('Above')}: ${above.join(', ')}</p>` : nothing}
      ${below.length ? html`<p class="soft small">${msg('Under the fold')}: ${below.join(', ')}</p>` : nothing}
    </div>`;
  }

  private pressed = (event: Event) => {
    const { at } = (event.currentTarget as HTMLElement).dataset;
    const held = this.press?.held;
    this.press = null;
    if (!held) this.send(`tap(${at})`);
  };

  /** A long press, the right button or the menu key. */
  private menu = (event: Event) => {
    const { at, holds } = (event.currentTarget as HTMLElement).dataset;
    event.preventDefault();
    if (this.press) this.press.held = true;
    if (holds !== undefined) this.send(`long_press(${at})`);
  };

  private typed = (event: Event) => {
    const { dataset, value } = event.currentTarget as HTMLInputElement;
    this.send(`text(${dataset.at},${value})`);
  };

  private slid = (event: Event) => {
    const { dataset, value } = event.currentTarget as HTMLInputElement;
    const slider = this.view?.elements.find(({ key }) => key === dataset.key);
    if (slider) this.send(`set ${slider.number} ${value}`);
  };

  private down = (event: PointerEvent) => {
    this.press = { x: event.clientX, y: event.clientY, at: event.timeStamp, held: false };
  };

  private forget = () => {
    this.press = null;
  };

  private up = (event: PointerEvent) => {
    const { press } = this;
    if (!press || !this.playable || event.button !== 0) return;
    const { height: tall } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const [dx, dy] = [event.clientX - press.x, event.clientY - press.y];
    if (Math.max(Math.abs(dx), Math.abs(dy)) > swipeShare * tall) {
      press.held = true;
      const direction = Math.abs(dx) > Math.abs(dy) ? (dx < 0 ? 'left' : 'right') : dy < 0 ? 'up' : 'down';
      return this.send(`scroll(500,450,${direction})`);
    }
    const on = (event.target as HTMLElement).closest<HTMLElement>('[data-holds]');
    if (!on || press.held || event.timeStamp - press.at < longPressMs) return;
    press.held = true;
    this.send(`long_press(${on.dataset.at})`);
  };

  private wheel = (event: WheelEvent) => {
    if (!this.playable || !this.view || Math.abs(event.deltaY) < 20) return;
    const { above, below } = this.view;
    if (!(event.deltaY > 0 ? below : above).length) return;
    event.preventDefault();
    this.send(`scroll(500,450,${event.deltaY > 0 ? 'up' : 'down'})`);
  };

  private send(action: string) {
    this.dispatchEvent(new CustomEvent('world-act', { detail: action, bubbles: true, composed: true }));
  }
}

const endings: { readonly [end: string]: () => string } = {
  finish: () => msg('said that the task is done'),
  no_answer: () => msg('said that it cannot be done'),
  take_over: () => msg('handed over'),
};

function renderOutcome({ success, falseCompletion, ended, missing, sideEffects }: NonNullable<PhoneView['outcome']>) {
  const line = (label: string, { path, before, after }: (typeof missing)[number]) =>
    html`<li class="missed">✕ ${label}: ${path}: ${before ?? '–'} → ${after ?? '–'}</li>`;
  return html`<div role="status">
    <p><strong>${success ? `✓ ${msg('Task solved')}` : `✕ ${msg('Task not solved')}`}</strong> · ${msg('The agent')} ${endings[ended]()}</p>
    <ul>
      ${falseCompletion ? html`<li class="missed">✕ ${msg('False completion')}</li>` : nothing}
      ${missing.map((each) => line(msg('Missing'), each))} ${sideEffects.map((each) => line(msg('Side effect'), each))}
    </ul>
  </div>`;
}

function renderTrail({ turns }: PhoneView) {
  return html`<div>
    <h3>${msg('Actions')}</h3>
    ${
      turns.length
        ? html`<ol class="trail">${turns.map(({ turn, action, ok }) => html`<li class=${ok ? '' : 'missed'}>${turn}. ${action}${ok ? nothing : html` ✕ ${msg('refused')}`}</li>`)}</ol>`
        : html`<p class="soft small">${msg('No actions yet.')}</p>`
    }
  </div>`;
}

declare global {
  interface HTMLElementTagNameMap {
    'tabgym-phone-view': TabgymPhoneView;
  }
}
