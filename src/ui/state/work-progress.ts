/** Progress of the worker's longer tasks, as a text in the page's language and as a bar. */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import type { Progress } from '../../session/protocol.ts';
import { bytes, shortDuration } from '../kit/format.ts';

const units = (): { [unit in Progress['unit']]: string } => ({
  kernels: msg('kernels'),
  bytes: '',
  episodes: msg('episodes'),
  steps: msg('steps'),
  tokens: msg('tokens'),
  turns: msg('turns'),
  slices: msg('micro-batches'),
});

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
  return [
    countText(progress),
    ...(turns ? [msg(str`${turns} turns`)] : []),
    ...(tokens ? [msg(str`${tokens} tokens`)] : []),
    ...(remainingMs == null ? [] : [msg(str`${shortDuration(remainingMs)} left`)]),
  ].join(', ');
}

function countText(progress: Progress): string {
  const what = workText(progress.what);
  const number = (value: number) => (progress.unit === 'bytes' ? bytes(value) : String(value));
  const unit = units()[progress.unit];
  if (progress.total !== null) return msg(str`${what}: ${number(progress.done)} of ${number(progress.total)} ${unit}`);
  return progress.done ? msg(str`${what}: ${number(progress.done)} ${unit}`) : what;
}

export const progressBar = (progress: Progress) => html`
  <progress aria-label=${workText(progress.what)} max=${progress.fraction === undefined ? (progress.total ?? 1) : 1} value=${progress.fraction ?? (progress.total === null ? nothing : progress.done)}></progress>
`;
