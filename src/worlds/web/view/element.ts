/**
 * View of the world Web: the live page beside the tree that the agent reads. The element of the last action is
 * outlined, and pointing at a line of the tree highlights its element. In Play, clicks and typing on the page are
 * converted to the agent's actions.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type PropertyValues } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { actionCount } from '../../../ui/kit/counts.ts';
import { colon } from '../../../ui/kit/format.ts';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { NestedFrame } from '../../../ui/kit/nested-frame.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import type { WebView } from '../view-data.ts';
import { pageFrameScript, pageFrameStyle } from './frame-script.ts';

/** An action of a person on the page, with the index of the element. */
interface PageInput {
  element?: number;
  value?: string;
  enter?: boolean;
  ready?: boolean;
}

@customElement('tabgym-web-view')
export class TabgymWebView extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 8px;
        container-type: inline-size;
      }
      .goal {
        font-size: var(--size-l);
      }
      .parts {
        display: grid;
        gap: 8px;
      }
      @container (min-width: 720px) {
        .parts {
          grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
        }
      }
      .browser,
      ol {
        border: 1px solid var(--line);
        border-radius: var(--radius);
        overflow: hidden;
        min-width: 0;
      }
      .bar {
        display: flex;
        flex-wrap: wrap;
        gap: 4px 10px;
        padding: 6px 8px;
        background: var(--surface-2);
        border-bottom: 1px solid var(--line);
        font-size: var(--size-s);
      }
      .tab[aria-current] {
        font-weight: 700;
      }
      .address {
        flex-basis: 100%;
        font-family: var(--mono);
        overflow-wrap: anywhere;
      }
      iframe {
        display: block;
        width: 100%;
        height: min(58vh, 640px);
        border: 0;
        background: #fff;
      }
      ol {
        margin: 0;
        padding: 6px 0;
        list-style: none;
        height: min(66vh, 700px);
        overflow: auto;
        font-family: var(--mono);
        font-size: var(--size-s);
      }
      li {
        padding: 1px 8px;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        tab-size: 2;
      }
      li:hover {
        background: var(--surface-3);
      }
      li.acted {
        border-inline-start: 4px solid #d55e00;
        font-weight: 700;
      }
    `,
  ];

  @property({ attribute: false }) view: WebView | null = null;
  @query('iframe') private frame!: HTMLIFrameElement | null;
  /** Remaining actions of the person's last input; one is taken after each update of the view. */
  private queue: string[] = [];
  private readonly inner = new NestedFrame<PageInput>(pageFrameScript, pageFrameStyle, (input) =>
    input.ready ? this.show() : this.take(input),
  );

  override render() {
    const { view } = this;
    if (!view) return nothing;
    const { objective, tabs, url, lines, acted, lastAction, score, steps } = view;
    return html`
      <p class="goal">${msg('Objective')}${colon()}<strong>${objective}</strong></p>
      <div class="parts">
        <div class="browser">
          <div class="bar">
            ${tabs.map(({ title, current }) => html`<span class="tab" aria-current=${current ? 'page' : nothing}>${title || msg('Empty tab')}</span>`)}
            <span class="address">${url}</span>
          </div>
          <iframe sandbox="allow-scripts" title=${msg(str`The page ${view.title}`)} srcdoc=${this.inner.source} @load=${() => this.inner.connect(this.frame)}></iframe>
        </div>
        <ol aria-label=${msg('Page as the agent reads it')} tabindex="0" @mouseleave=${() => this.point(-1)}>
          ${lines.map(({ text, element }) => html`<li class=${element >= 0 && element === acted ? 'acted' : ''} @mouseenter=${() => this.point(element)}>${text}</li>`)}
        </ol>
      </div>
      <p class="row spread">
        <span>${msg('Last action')}${colon()}${lastAction}</span>
        <span class="soft number">${score === null ? actionCount(steps) : msg(str`${actionCount(steps)}, judged ${score}`)}</span>
      </p>
    `;
  }

  override updated(changed: PropertyValues<this>) {
    if (!changed.has('view')) return;
    this.show();
    const next = this.queue.shift();
    if (next !== undefined && this.view?.score === null) this.send(next);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.inner.close();
  }

  private show() {
    if (!this.view) return;
    const { html: page, controls: fields, acted } = this.view;
    this.inner.post({ html: page, controls: fields, acted });
  }

  private point(element: number) {
    this.inner.post({ pointed: element });
  }

  /**
   * Converts a person's input to the agent's actions: the first is taken now, the others follow as the world answers.
   */
  private take({ element = -1, value, enter = false }: PageInput) {
    if (!this.view) return;
    const line = this.view.lines.find((each) => each.element === element && !/StaticText/.test(each.text));
    if (!line) return this.send(this.isBelow(element) ? 'scroll [down]' : 'scroll [up]');
    const [first, ...rest] = value === undefined ? [`click [${line.id}]`] : this.typing(line.id, element, value, enter);
    if (!first) return;
    this.queue.push(...rest);
    this.send(first);
  }

  private isBelow = (element: number) => element > Math.max(...this.view!.lines.map((line) => line.element));

  /** Typing appends to a field's text. If the change is not an appended text, the field is cleared first. */
  private typing(id: string, element: number, value: string, enter: boolean): string[] {
    const line = this.view!.lines.findIndex((each) => each.id === id);
    const shown = /StaticText '(.*)'$/.exec(this.view!.lines[line + 1]?.text ?? '');
    const before = shown && this.view!.lines[line + 1].element === element ? shown[1] : '';
    if (value === before) return enter ? [`click [${id}]`, 'press [Enter]'] : [];
    const flag = enter ? 1 : 0;
    if (value.startsWith(before)) return [`type [${id}] [${value.slice(before.length)}] [${flag}]`];
    const empty = [`click [${id}]`, 'press [Control+a]', 'press [Backspace]'];
    return value ? [...empty, `type [${id}] [${value}] [${flag}]`] : empty;
  }

  private send(action: string) {
    this.dispatchEvent(new CustomEvent('world-act', { detail: action, bubbles: true, composed: true }));
  }
}
