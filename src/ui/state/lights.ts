/**
 * Lights: pointing at a symbol of a formula lights what it stands for, wherever that is drawn. A light is a custom property on the
 * root, which shadow roots inherit: what can be lit names its light in an outline, and nothing is drawn again.
 */
import type { Source } from '../../rl/algorithms/cards.ts';
import { charts } from './series.ts';

const property = (light: string) => `--lit-${light.replaceAll('.', '-')}`;

/** For a `style` attribute: outlined while its light is on. */
export const litBy = (light: string) => `outline: var(${property(light)}, none); outline-offset: 2px`;

let on: string | null = null;

/** Puts one light on, and the one before off. */
export function light(name: string | null) {
  const { style } = document.documentElement;
  if (on) style.removeProperty(property(on));
  if (name) style.setProperty(property(name), '3px solid var(--accent)');
  on = name;
}

/** The chart that draws a metric. */
const chartOf = (metric: string) => charts().find(({ series }) => series.some(({ read }) => read === metric))?.id;

const tokenLights: { readonly [name: string]: string } = { advantage: 'advantage', return: 'return', reward: 'reward' };

/** What a number of a formula is drawn as; null: nothing draws it. */
export function lightOf(source: Source): string | null {
  const [kind, ...rest] = source.split('.');
  const name = rest.join('.');
  if (kind === 'metric') return chartOf(name) ? `chart.${chartOf(name)}` : null;
  if (kind === 'setting') return `knob.algorithm.${name}`;
  if (kind === 'experiment') return `knob.${name}`;
  if (kind === 'token') return tokenLights[name] ?? 'token';
  if (kind === 'turn') return 'reward';
  if (kind === 'episode') return name === 'advantage' ? 'advantage' : 'return';
  return kind;
}
