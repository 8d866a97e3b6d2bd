/** Dashes of the charts' lines, and the sample of a line beside its name. */
import { html, nothing } from 'lit';
import type { Dash } from '../state/series.ts';

/** Lengths of strokes and gaps in CSS pixels; empty: a solid line. */
export const dashes: { readonly [dash in Dash]: number[] } = { solid: [], dashed: [6, 4], dotted: [2, 3] };

/** Dashes as the value of SVG's `stroke-dasharray`; empty: a solid line. */
export const dashArray = (dash: Dash): string => dashes[dash].join(' ');

/** Length and width of a sample in CSS pixels: in the legend of one chart, and in a list for several charts. */
const sizes = { legend: [18, 2], list: [26, 2.5] } as const;

export function lineSample({ color, dash }: { color: string; dash: Dash }, size: keyof typeof sizes = 'legend') {
  const [length, width] = sizes[size];
  return html`<svg viewBox="0 0 ${length} 8" aria-hidden="true"><path d="M0 4h${length}" fill="none" .style=${`stroke:var(${color})`} stroke-width=${width} stroke-dasharray=${dashArray(dash) || nothing} /></svg>`;
}
