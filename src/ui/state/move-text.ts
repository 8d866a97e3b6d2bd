/** Words for the moves of a try. */
import { msg, str } from '@lit/localize';

/** Number of a turn, counted from 0, and the most turns of its try if they are known. */
export const moveText = (turn: number, most?: number): string =>
  most === undefined ? msg(str`Move ${turn + 1}`) : msg(str`Move ${turn + 1} of at most ${most}`);
