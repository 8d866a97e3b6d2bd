/** Number of an option's text; NaN for an empty one, as in `--seed=`, which JavaScript reads as 0. */
export const numberIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));
