/** Worlds to start from, as code. Their titles are texts of the page and the command line. */
import guess from './templates/guess.js?raw';
import keys from './templates/keys.js?raw';
import nim from './templates/nim.js?raw';
import questions from './templates/questions.js?raw';
import shop from './templates/shop.js?raw';
import vending from './templates/vending.js?raw';

export const templates = { guess, vending, keys, shop, questions, nim } as const;
export type TemplateName = keyof typeof templates;
export const templateNames = Object.keys(templates) as TemplateName[];
