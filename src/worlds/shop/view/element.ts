/**
 * View of the shop: the page as a person sees it, with the agent's clicks outlined, its actions, and at the end the
 * judgement. A person who plays presses the shop's own buttons.
 */
import { msg, str } from '@lit/localize';
import { html, nothing, svg, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { productCount } from '../../../ui/kit/counts.ts';
import { colon } from '../../../ui/kit/format.ts';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import type { ItemSeen, ProductSeen, ShopView } from '../view-data.ts';
import { shopStyles } from './styles.ts';

/** Buttons of the shop in the language of the page; their actions stay as the world has them. */
const labels: { readonly [press: string]: () => string } = {
  'back to search': () => msg('Back to search'),
  'next >': () => msg('Next page'),
  '< prev': () => msg('Go back'),
  description: () => msg('Description'),
  features: () => msg('Features'),
  reviews: () => msg('Reviews'),
  'buy now': () => msg('Buy now'),
};

/** Picture of a product: a shape and a colour that follow from its id. */
function tile(asin: string): TemplateResult {
  const number = [...asin].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
  const [hue, turn] = [number % 360, (number % 4) * 45];
  return html`<svg class="tile" viewBox="0 0 40 40" aria-hidden="true">${svg`
    <rect width="40" height="40" fill=${`hsl(${hue} 45% 78%)`} />
    <g transform=${`rotate(${turn} 20 20)`} fill=${`hsl(${hue} 45% 38%)`}>
      <rect x="11" y="13" width="18" height="16" rx=${number % 8} />
      <path d="M14 13a6 6 0 0 1 12 0" fill="none" stroke=${`hsl(${hue} 45% 38%)`} stroke-width="2.5" />
    </g>`}</svg>`;
}

@customElement('tabgym-shop-view')
export class TabgymShopView extends LocalizedElement {
  static override styles = [controls, shopStyles];

  @property({ attribute: false }) view: ShopView | null = null;
  /** True if a person plays; a view that only shows an episode has no working buttons. */
  @property({ type: Boolean }) playable = false;

  override render() {
    const { view } = this;
    if (!view) return nothing;
    return html`<div class="parts">
      <p class="wish">${msg('Wish')}${colon()}<strong>${view.instruction}</strong></p>
      ${view.outcome ? this.renderOutcome(view.outcome) : nothing}
      <div class="shop">${this.renderPage(view)}</div>
      ${this.renderTrail(view)}
    </div>`;
  }

  private renderPage(view: ShopView) {
    return html`
      ${view.searches ? this.renderSearch(view) : nothing}
      ${view.place === 'start' || view.outcome ? nothing : this.renderNavigation(view)}
      ${view.place === 'results' ? this.renderResults(view) : nothing}
      ${view.item ? this.renderItem(view.item, view) : nothing}
      ${view.sub ? this.renderSub(view.sub) : nothing}`;
  }

  private renderSearch({ words }: ShopView) {
    return html`<form role="search" @submit=${this.search}>
      <input name="words" aria-label=${msg('Words to search for')} .value=${words} ?disabled=${!this.playable} required maxlength="500" />
      <button class="primary" ?disabled=${!this.playable}>${msg('Search the shop')}</button>
    </form>`;
  }

  private renderNavigation({ buttons }: ShopView) {
    const shown = ['back to search', '< prev', 'next >'].filter((press) => buttons.includes(press));
    return html`<div class="row">${shown.map((press) => this.renderButton(press))}</div>`;
  }

  /** A button of the shop; outlined if the agent's last action pressed it. */
  private renderButton(press: string, text: unknown = labels[press]?.() ?? press, kind = '') {
    const acted = this.view?.pressed === press ? 'acted' : '';
    return html`<button class="${kind} ${acted}" ?disabled=${!this.playable} data-press=${press} @click=${this.press}>${text}</button>`;
  }

  private renderResults({ words, total, page, listed }: ShopView) {
    return html`<p>${msg(str`${productCount(total)} for “${words}”, page ${page}`)}</p>
      ${
        listed.length
          ? html`<ul class="products">${listed.map((product) => this.renderProduct(product))}</ul>`
          : html`<p class="soft">${msg('No products on this page.')}</p>`
      }`;
  }

  private renderProduct({ asin, title, price, press, visited }: ProductSeen) {
    return html`<li class="product ${visited ? 'acted' : ''}">
      ${tile(asin)}
      <div>
        ${this.renderButton(press, title)}
        <p><strong>${price}</strong> <span class="soft small">${asin}${visited ? html` · ${msg('visited')}` : nothing}</span></p>
      </div>
    </li>`;
  }

  private renderItem({ asin, title, price, path, options }: ItemSeen, { place, outcome, buttons }: ShopView) {
    const pages = ['description', 'features', 'reviews'].filter((press) => buttons.includes(press));
    return html`<div class="item">
      ${tile(asin)}
      <div>
        <h3>${title}</h3>
        <p class="soft small">${path} · ${asin}</p>
        <div class="options">${options.map((option) => this.renderOption(option, place === 'item'))}</div>
        <p>${msg('Price with the chosen options')}${colon()}<strong>${price}</strong></p>
        ${outcome || place !== 'item' ? nothing : html`<div class="row">${pages.map((press) => this.renderButton(press))}${this.renderButton('buy now', undefined, 'primary')}</div>`}
      </div>
    </div>`;
  }

  private renderOption({ name, values }: ItemSeen['options'][number], open: boolean) {
    const text = (value: string, adds: number) => (adds ? html`${value} <span class="small">+$${adds}</span>` : value);
    const shown = open ? values : values.filter(({ chosen }) => chosen);
    return html`<div role="group" aria-label=${name}>
      <span class="soft small">${name}</span>
      <div class="values">${shown.map(({ value, adds, chosen }) =>
        open
          ? this.renderButton(
              value,
              html`${chosen ? html`<span aria-hidden="true">✓</span>` : nothing}${text(value, adds)}`,
              chosen ? 'chosen acted' : '',
            )
          : html`<strong>${text(value, adds)}</strong>`,
      )}${shown.length ? nothing : html`<span class="soft small">${msg('not chosen')}</span>`}</div>
    </div>`;
  }

  private renderSub({ name, texts }: NonNullable<ShopView['sub']>) {
    return html`<div>
      <h3>${labels[name]()}</h3>
      ${texts.length ? html`<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>` : html`<p class="soft">${msg('Nothing here.')}</p>`}
    </div>`;
  }

  private renderOutcome({ reward, type, parts, target }: NonNullable<ShopView['outcome']>) {
    const part = ({ kind, text, met }: (typeof parts)[number]) => {
      const wish = kind === 'price' ? msg(str`price at most ${text} dollars`) : text;
      return html`<li class=${met ? 'met' : 'missed'}>${met ? '✓' : '✕'} ${wish}</li>`;
    };
    const kind = type === 1 ? msg('right kind of product') : msg(str`other kind of product: times ${type}`);
    return html`<div role="status">
      <p><strong>${msg(str`The purchase scores ${reward.toFixed(2)} of 1`)}</strong></p>
      <ul>${parts.map(part)}<li class=${type === 1 ? 'met' : 'missed'}>${type === 1 ? '✓' : '✕'} ${kind}</li></ul>
      <p class="soft small">${msg('The wish was made from')}${colon()}${target}</p>
    </div>`;
  }

  private renderTrail({ turns }: ShopView) {
    return html`<div>
      <h3>${msg('Actions')}</h3>
      ${
        turns.length
          ? html`<ol class="trail">${turns.map(({ action, ok }, k) => html`<li class=${ok ? '' : 'missed'}>${k + 1}. ${action}${ok ? nothing : html` ✕ ${msg('refused')}`}</li>`)}</ol>`
          : html`<p class="soft small">${msg('No actions yet.')}</p>`
      }
    </div>`;
  }

  private search = (event: Event) => {
    event.preventDefault();
    const words = String(new FormData(event.target as HTMLFormElement).get('words') ?? '')
      .replace(/[[\]]/g, ' ')
      .trim();
    if (words) this.send(`search[${words}]`);
  };

  private press = (event: Event) => {
    this.send(`click[${(event.currentTarget as HTMLElement).dataset.press}]`);
  };

  private send(action: string) {
    this.dispatchEvent(new CustomEvent('world-act', { detail: action, bubbles: true, composed: true }));
  }
}
