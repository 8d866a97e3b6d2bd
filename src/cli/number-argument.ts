/** Numbers on the command line. */
import { InvalidArgumentError } from 'commander';

/** Number of an option's text; NaN for an empty one, as in `--seed=`, which JavaScript reads as 0. */
export const numberIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

/** Reader of an option that is a whole number, `least` or more and at most `most`. */
export const wholeFrom =
  (least: number, most = Number.POSITIVE_INFINITY) =>
  (text: string): number => {
    const value = numberIn(text);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    const bounds = most < Number.POSITIVE_INFINITY ? ` from ${least} to ${most}` : `, ${least} or more`;
    throw new InvalidArgumentError(`It must be a whole number${bounds}.`);
  };
