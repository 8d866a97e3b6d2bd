/**
 * Counts with their nouns, the only texts of the page in which a noun follows a number of things. English has a
 * singular and a plural; a language without them has the same translation for both. A sentence takes the whole count:
 * msg(str`at most ${turnCount(most)}`).
 */
import { msg, str } from '@lit/localize';
import { compact } from './format.ts';

const isOne = (count: number) => count === 1;

export const turnCount = (count: number): string => (isOne(count) ? msg('1 turn') : msg(str`${count} turns`));

export const moveCount = (count: number): string => (isOne(count) ? msg('1 move') : msg(str`${count} moves`));

export const stepCount = (count: number): string => (isOne(count) ? msg('1 step') : msg(str`${count} steps`));

export const episodeCount = (count: number): string => (isOne(count) ? msg('1 episode') : msg(str`${count} episodes`));

export const tokenCount = (count: number): string => (isOne(count) ? msg('1 token') : msg(str`${count} tokens`));

export const runCount = (count: number): string => (isOne(count) ? msg('1 run') : msg(str`${count} runs`));

export const fileCount = (count: number): string => (isOne(count) ? msg('1 file') : msg(str`${count} files`));

export const tryCount = (count: number): string => (isOne(count) ? msg('1 try') : msg(str`${count} tries`));

export const itemCount = (count: number): string => (isOne(count) ? msg('1 item') : msg(str`${count} items`));

export const actionCount = (count: number): string => (isOne(count) ? msg('1 action') : msg(str`${count} actions`));

export const goalCount = (count: number): string => (isOne(count) ? msg('1 goal') : msg(str`${count} goals`));

export const drawCount = (count: number): string => (isOne(count) ? msg('1 draw') : msg(str`${count} draws`));

export const partCount = (count: number): string => (isOne(count) ? msg('1 part') : msg(str`${count} parts`));

export const timeCount = (count: number): string => (isOne(count) ? msg('once') : msg(str`${count} times`));

export const threadCount = (count: number): string => (isOne(count) ? msg('1 thread') : msg(str`${count} threads`));

export const kernelCount = (count: number): string => (isOne(count) ? msg('1 kernel') : msg(str`${count} kernels`));

export const microBatchCount = (count: number): string =>
  isOne(count) ? msg('1 micro-batch') : msg(str`${count} micro-batches`);

export const settingCount = (count: number): string => (isOne(count) ? msg('1 setting') : msg(str`${count} settings`));

export const parameterCount = (count: number): string =>
  isOne(count) ? msg('1 parameter') : msg(str`${compact(count)} parameters`);

export const documentCount = (count: number): string =>
  isOne(count) ? msg('1 document') : msg(str`${count} documents`);

export const questionCount = (count: number): string =>
  isOne(count) ? msg('1 question') : msg(str`${count} questions`);

export const instructionCount = (count: number): string =>
  isOne(count) ? msg('1 instruction') : msg(str`${count} instructions`);

export const gameCount = (count: number): string => (isOne(count) ? msg('1 game') : msg(str`${count} games`));

export const lineCount = (count: number): string => (isOne(count) ? msg('1 line') : msg(str`${count} lines`));

export const productCount = (count: number): string => (isOne(count) ? msg('1 product') : msg(str`${count} products`));

export const rowCount = (count: number): string => (isOne(count) ? msg('1 row') : msg(str`${count} rows`));
