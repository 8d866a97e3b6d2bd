/**
 * Lights: pointing at a symbol of a formula highlights the element that shows its value. A light is a custom property
 * on the root, which shadow roots inherit. An element's outline refers to the property, so that nothing is rendered
 * again when a light changes.
 */
import type { Source } from '../../rl/common/formula.ts';
import { charts } from './series.ts';

const property = (highlight: string) => `--lit-${highlight.replaceAll('.', '-')}`;

/** Value of a `style` attribute that outlines the element while its light is on. */
export const highlightStyle = (highlight: string) => `outline: var(${property(highlight)}, none); outline-offset: 2px`;

let on: string | null = null;

/** Turns one light on and the previous one off. */
export function highlight(name: string | null) {
  const { style } = document.documentElement;
  if (on) style.removeProperty(property(on));
  if (name) style.setProperty(property(name), '3px solid var(--accent)');
  on = name;
}

/** Chart that draws a metric. */
const chartOf = (metric: string) => charts().find(({ series }) => series.some(({ read }) => read === metric))?.id;

const tokenLights: { readonly [name: string]: string } = { advantage: 'advantage', return: 'return', reward: 'reward' };

/** Light of the element that shows a number of a formula; null if nothing shows it. */
export function highlightOf(source: Source): string | null {
  const [kind, ...rest] = source.split('.');
  const name = rest.join('.');
  if (kind === 'metric') return chartOf(name) ? `chart.${chartOf(name)}` : null;
  if (kind === 'setting') return `knob.algorithm.${name}`;
  if (kind === 'experiment') return `knob.${name}`;
  if (kind === 'token') return tokenLights[name] ?? 'token';
  if (kind === 'episode') return { advantage: 'advantage', lastReward: 'reward' }[name] ?? 'return';
  return kind;
}
