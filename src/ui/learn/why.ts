/**
 * Explains the change of a token's probability in a step by its advantage, ratio, clip and share of the gradient; and
 * shows how far the weights moved.
 */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import type { StepInspection, WeightChange } from '../../session/protocol.ts';
import type { Controller } from '../control/controller.ts';
import { isActive } from '../control/events.ts';
import { compact, fixed, signed } from '../kit/format.ts';
import { tokenText } from '../stage/tokens.ts';
import { type Place, readSource } from '../state/place.ts';
import { type TokenChange, tokenChange } from '../state/token-change.ts';

const percentOf = (value: number) => `${compact(100 * value)}%`;

/** Explanation in sentences, cause before effect. */
function storyOf(why: TokenChange): string[] {
  const { advantage, ratio, pull, before, after, share, times, clipped } = why;
  const rose = after > before;
  const pulled = {
    up: msg(str`Its advantage is ${signed(advantage)}, above 0: the update pulls it up.`),
    down: msg(str`Its advantage is ${signed(advantage)}, below 0: the update pulls it down.`),
    none: msg(
      str`Its advantage is ${signed(advantage)}, and its weight in the gradient is 0: the update does not pull it.`,
    ),
  }[pull];
  const agrees = pull === 'none' ? false : rose === (pull === 'up');
  const moved = agrees
    ? msg(str`Its probability went from ${fixed(before, 3)} to ${fixed(after, 3)}, a ratio of ${fixed(ratio, 3)}.`)
    : msg(
        str`Its probability went from ${fixed(before, 3)} to ${fixed(after, 3)}, a ratio of ${fixed(ratio, 3)}: other tokens share the same weights, and they moved it.`,
      );
  const held = {
    [-1]: msg('One more pass over the same episodes would not pull it further: its ratio is below the low clip.'),
    0: msg('Its ratio is within the clip: one more pass over the same episodes would pull it further.'),
    1: msg('One more pass over the same episodes would not pull it further: its ratio is above the high clip.'),
  }[clipped as -1 | 0 | 1];
  return [
    pulled,
    msg(str`It has ${percentOf(share)} of the gradient’s weight, ${compact(times)} times as much as the mean token.`),
    moved,
    ...(pull === 'none' ? [] : [held]),
  ];
}

export function renderWhy(app: Controller, place: Place) {
  const { inspection, tokenTexts, status } = app.store.state;
  const { trajectory, token, facts } = place;
  const text = trajectory && token !== null ? tokenText(tokenTexts, trajectory.tokens[token]).trim() || '↵' : null;
  const title =
    text === null
      ? msg('Why did a token’s probability change?')
      : msg(str`Why did the probability of “${text}” change?`);
  const body = () => {
    if (!trajectory) return msg('Open an episode first.');
    if (text === null || facts?.source !== 'policy') return msg('Choose a token of the policy in the trajectory.');
    if (facts.forced || place.row === null)
      return msg(
        'It was the only token allowed there: its probability is 1 whatever the weights, so nothing is learnt from it.',
      );
    if (isActive(status)) return msg('Pause the run first: the weights can be inspected only while it is paused.');
    if (inspection.state === 'loading')
      return html`<span role="status">${msg('Scoring the episodes before and after the step')}…</span>`;
    const why = tokenChange(place);
    if (why) return html`<ul>${storyOf(why).map((each) => html`<li>${each}</li>`)}</ul>`;
    if (inspection.state === 'error') return inspection.message;
    const other = inspection.state === 'ready' && (inspection.value === null || place.inspection !== null);
    if (other) return msg('The weights of this step are no longer stored. Choose the newest step.');
    return html`<button data-do="look-inside" @click=${() => app.navigation.inspectUpdate()}>${msg('Look into the update')}</button>`;
  };
  return html`<section class="why" aria-label=${title}><h4>${title}</h4><div class="answer">${body()}</div></section>`;
}

/** Name of the part of the architecture that a parameter belongs to. */
const partLabel = (name: string): string => {
  if (/embed/.test(name)) return msg('embedding');
  if (/attn|q_proj|k_proj|v_proj|o_proj/.test(name) && !/norm/.test(name)) return msg('attention');
  if (/mlp|gate|up_proj|down_proj/.test(name)) return 'MLP';
  if (/lm_head/.test(name)) return msg('head');
  return msg('norms');
};

interface Part {
  label: string;
  relative: number;
  count: number;
}

/** Change of each layer's parts, relative to their norm. */
function partsOf(weights: readonly WeightChange[]): Part[] {
  const parts = new Map<string, { norm: number; change: number; count: number }>();
  for (const { name, layer, norm, change, count } of weights) {
    const words = partLabel(name);
    const label = layer === null ? words : msg(str`layer ${layer + 1}, ${words}`);
    const known = parts.get(label) ?? { norm: 0, change: 0, count: 0 };
    parts.set(label, { norm: known.norm + norm ** 2, change: known.change + change ** 2, count: known.count + count });
  }
  return [...parts].map(([label, { norm, change, count }]) => ({
    label,
    count,
    relative: norm > 0 ? Math.sqrt(change / norm) : 0,
  }));
}

export function renderWeights(inspection: StepInspection | null, place: Place) {
  if (!inspection?.weights.length) return nothing;
  const parts = partsOf(inspection.weights);
  const most = Math.max(...parts.map(({ relative }) => relative), 1e-12);
  const [change, norm] = [readSource(place, 'weights.change'), readSource(place, 'weights.norm')];
  return html`<table class="weights">
    <caption class="small">${msg(str`The weights moved by ${compact(change)}, their norm was ${compact(norm)}. By part, in % of its own norm:`)}</caption>
    <thead class="visually-hidden"><tr><th scope="col">${msg('Part')}</th><th scope="col">${msg('Moved, in % of its norm')}</th></tr></thead>
    <tbody>${parts.map(
      ({ label, relative }) => html`<tr><th scope="row">${label}</th>
        <td class="number"><span class="moved" aria-hidden="true"><span .style=${`width:${(100 * relative) / most}%`}></span></span> ${percentOf(relative)}</td></tr>`,
    )}</tbody>
  </table>`;
}
