/** Buttons of the page itself, the same in every bar: language, theme, help. */
import { msg, str } from '@lit/localize';
import { html } from 'lit';
import type { Shell } from '../control/shell.ts';
import { chooseLocale, currentLocale, type Locale, localeNames, locales } from '../kit/locale.ts';
import type { Theme } from '../state/state.ts';

/** In both languages, for readers who know only one of them. */
const languageLabel = 'Language / 语言';

const themes: readonly Theme[] = ['auto', 'light', 'dark'];
const themeIcons: { [theme in Theme]: string } = { auto: '◐', light: '☀', dark: '☾' };

/** Each language is listed by its own name; the choice is stored. */
export function languageSelect() {
  const choose = (event: Event) => void chooseLocale((event.target as HTMLSelectElement).value as Locale);
  return html`<select class="language" aria-label=${languageLabel} title=${languageLabel} @change=${choose}>${locales.map(
    (each) =>
      html`<option value=${each} lang=${each} ?selected=${each === currentLocale()}>${localeNames[each]}</option>`,
  )}</select>`;
}

export function themeButton(app: Pick<Shell, 'store' | 'layout'>) {
  const { theme } = app.store.state;
  const names: { [each in Theme]: string } = {
    auto: msg('same as the system'),
    light: msg('light'),
    dark: msg('dark'),
  };
  const next = themes[(themes.indexOf(theme) + 1) % themes.length];
  const label = msg(str`Theme: ${names[theme]}. Change to ${names[next]}`);
  return html`<button class="quiet" aria-label=${label} title=${label} @click=${() => app.layout.setTheme(next)}><span aria-hidden="true">${themeIcons[theme]}</span></button>`;
}

export const helpButton = (app: Pick<Shell, 'store' | 'layout'>) =>
  html`<button class="quiet" aria-haspopup="dialog" title=${msg('Keys and help')} aria-label=${msg('Keys and help')} @click=${() => app.layout.showHelp(true)}>?</button>`;

export const brand = () => html`<h1>
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#1757c2" />
    <path d="M6 24c5 0 6-4 9-9s5-7 11-7" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" />
  </svg><span>Tabgym</span>
</h1>`;
