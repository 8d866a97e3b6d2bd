export interface Message {
  id: string;
  text: string;
  file: string;
}
export type Translations = { [id: string]: { en: string; text: string } };
export const localeFile: string;
export function extractMessages(): Promise<Message[]>;
export function readLocale(): Translations;
export function brokenIn(messages: readonly Message[], known: Translations): string[];
export function staleIn(messages: readonly Message[], known: Translations): string[];
export function entriesFor(
  messages: readonly Message[],
  known: Translations,
  filled: { [idOrEnglish: string]: string },
): [id: string, entry: Translations[string]][];
