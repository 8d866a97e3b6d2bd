export interface Message {
  id: string;
  text: string;
  file: string;
}
export type Translations = { [id: string]: { en: string; text: string } };
export const localeFile: string;
export function extractMessages(): Promise<Message[]>;
export function readLocale(): Translations;
export function problemsOf(messages: readonly Message[], known: Translations): string[];
