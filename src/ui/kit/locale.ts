/**
 * Language of the page: the link's, else the last one chosen, else the browser's. English texts are in the code;
 * Chinese ones are loaded from locales/zh-Hans.json when needed (`npm run localize`). Texts of worlds are never
 * translated: the page shows them as the model reads them.
 */
import { configureLocalization, msg, type TemplateMap } from '@lit/localize';
import { remember } from './remember.ts';

export const locales = ['en', 'zh-Hans'] as const;
export type Locale = (typeof locales)[number];
/** Name of each language in that language, so that its readers recognise it. */
export const localeNames: { readonly [locale in Locale]: string } = { en: 'English', 'zh-Hans': '简体中文' };

const key = 'tabgym.language';

/** Template of @lit/localize from a text, in which `${0}` is the place of the first value. */
function template(text: string) {
  const parts = text.split(/\$\{(\d+)\}/);
  if (parts.length === 1) return text;
  const strings = parts.filter((_, index) => index % 2 === 0);
  const values = parts.filter((_, index) => index % 2 === 1).map(Number);
  return { strTag: true, strings, values };
}

export const templatesOf = (words: { readonly [id: string]: string }): TemplateMap =>
  Object.fromEntries(Object.entries(words).map(([id, text]) => [id, template(text)])) as unknown as TemplateMap;

const { getLocale, setLocale } = configureLocalization({
  sourceLocale: 'en',
  targetLocales: ['zh-Hans'],
  loadLocale: async () => {
    const words = (await import('../locales/zh-Hans.json')).default as unknown as { [id: string]: string };
    return { templates: templatesOf(words) };
  },
});

export const currentLocale = () => getLocale() as Locale;

const known = (tag: string | null): Locale | null => locales.find((each) => each === tag) ?? null;

/** Readers of traditional Chinese get simplified Chinese rather than English. */
const localeOfTags = (tags: readonly string[]): Locale | null => {
  for (const tag of tags) {
    if (/^zh\b/i.test(tag)) return 'zh-Hans';
    if (/^en\b/i.test(tag)) return 'en';
  }
  return null;
};

function remembered(): Locale | null {
  try {
    return known(localStorage.getItem(key));
  } catch {
    return null;
  }
}

export const wantedLocale = (asked: string | null, tags: readonly string[]): Locale =>
  known(asked) ?? remembered() ?? localeOfTags(tags) ?? 'en';

/**
 * Switches the page and the document's `lang` to a language. If its texts cannot be loaded (offline at the first
 * visit), the page stays English.
 */
export async function useLocale(locale: Locale): Promise<void> {
  await setLocale(locale).catch(() => {});
  document.documentElement.lang = currentLocale();
  document.title = msg('Tabgym: a tiny agent learns in this tab');
}

export async function chooseLocale(locale: Locale): Promise<void> {
  remember(key, locale);
  await useLocale(locale);
}
