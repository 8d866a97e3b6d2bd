/** Progress of the worker's longer tasks, as a text in the page's language and as a bar. */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import type { Progress } from '../../session/protocol.ts';
import {
  episodeCount,
  kernelCount,
  microBatchCount,
  stepCount,
  tokenCount,
  tryCount,
  turnCount,
} from '../kit/counts.ts';
import { bytes, listed, shortDuration } from '../kit/format.ts';

/** A number of units with its noun. */
const counted: { readonly [unit in Progress['unit']]: (count: number) => string } = {
  kernels: kernelCount,
  bytes,
  episodes: episodeCount,
  steps: stepCount,
  tokens: tokenCount,
  turns: turnCount,
  slices: microBatchCount,
};

/** Translations of the worker's English task names into the page's language. */
const works = (): { [what: string]: string } => ({
  'Opening the worlds': msg('Opening the worlds'),
  'Choosing kernels for this adapter': msg('Choosing kernels for this adapter'),
  'Compiling kernels': msg('Compiling kernels'),
  'Testing the kernels': msg('Testing the kernels'),
  episodes: msg('Playing'),
  turns: msg('Playing'),
  updates: msg('Updating'),
  scores: msg('Scoring'),
  'training goals': msg('Evaluating on training goals'),
  'held-out goals': msg('Evaluating on held-out goals'),
});

function workText(what: string): string {
  const [, kernel] = /^Compiling (\w+)$/.exec(what) ?? [];
  return works()[what] ?? (kernel ? msg(str`Compiling ${kernel}`) : what);
}

/** Progress with its counts and the remaining time. */
export function progressText(progress: Progress): string {
  const { turns, tokens, remainingMs } = progress;
  return listed([
    countText(progress),
    ...(turns ? [turnCount(turns)] : []),
    ...(tokens ? [tokenCount(tokens)] : []),
    ...(remainingMs == null ? [] : [msg(str`${shortDuration(remainingMs)} left`)]),
  ]);
}

/** Progress for a newcomer: tries instead of episodes, without turns, tokens and micro-batches. */
export function plainProgressText(progress: Progress): string {
  const { unit, total, remainingMs } = progress;
  if (unit !== 'episodes' && unit !== 'slices')
    return progressText({ ...progress, turns: undefined, tokens: undefined });
  const what = workText(progress.what);
  const count =
    unit === 'slices' || total === null ? what : msg(str`${what}: ${String(progress.done)} of ${tryCount(total)}`);
  return remainingMs == null ? count : `${count}, ${msg(str`${shortDuration(remainingMs)} left`)}`;
}

function countText(progress: Progress): string {
  const what = workText(progress.what);
  const count = counted[progress.unit];
  const done = progress.unit === 'bytes' ? bytes(progress.done) : String(progress.done);
  if (progress.total !== null) return msg(str`${what}: ${done} of ${count(progress.total)}`);
  return progress.done ? msg(str`${what}: ${count(progress.done)}`) : what;
}

export const progressBar = (progress: Progress) => html`
  <progress aria-label=${workText(progress.what)} max=${progress.fraction === undefined ? (progress.total ?? 1) : 1} value=${progress.fraction ?? (progress.total === null ? nothing : progress.done)}></progress>
`;
