/** Calendar days as texts (YYYY-MM-DD), without hours or time zones. */

const dayMs = 86_400_000;

const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs;

export const addDays = (date: string, days: number): string =>
  new Date((dayNumber(date) + days) * dayMs).toISOString().slice(0, 10);

/** Days from one date to another. */
export const daysBetween = (from: string, to: string): number => dayNumber(to) - dayNumber(from);

/** True for a day of the calendar written YYYY-MM-DD. */
export const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(dayNumber(text)) && addDays(text, 0) === text;
