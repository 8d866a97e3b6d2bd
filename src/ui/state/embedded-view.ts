/**
 * The embedded view: `?embed` shows only the package's element (app/embedded.ts), for slides and blogs. It trains on one
 * thread and never runs code that came with a link: the page around it may have tricked a person into the click
 * (clickjacking).
 */
import { type Selection, showsEpisodes } from './selection.ts';

export const isEmbedded = (search = location.search): boolean => new URLSearchParams(search).has('embed'); // not a kind: the address's query

/** Address of the same place as a page of its own. */
export function addressOutside(href = location.href): string {
  const address = new URL(href);
  address.searchParams.delete('embed');
  return address.href;
}

/** Address of the same place as an embedded view. */
export function addressInside(href: string): string {
  const address = new URL(href);
  address.searchParams.set('embed', '');
  return address.href.replace('embed=', 'embed');
}

const safe = (text: string) => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');

/** HTML of a frame with the embedded view of an address. */
export const embedCode = (href: string, title: string): string =>
  `<iframe src="${safe(addressInside(href))}" title="${safe(title)}" width="800" height="520" loading="lazy" allow="fullscreen" style="border:1px solid #8884"></iframe>`;

/** Views of the element that show what a tab of the page does; `watch` for the others. */
const elementViews: { readonly [tab: string]: string } = {
  group: 'group',
  trajectory: 'trajectory',
  evaluate: 'evaluate',
  play: 'play',
};

/** HTML of the package's element, for a page that serves the package. `file`: name of the experiment or run beside it. */
export function elementCode(file: string, href: string, { tab, step, group, member }: Selection): string {
  const view = elementViews[tab] ?? 'watch';
  const place = showsEpisodes(tab)
    ? ` step="${step ?? ''}" group="${group}" member="${member}"`.replace(' step=""', '')
    : '';
  return `<script type="module" src="/tabgym/web/element.js"></script>\n<tab-gym src="${safe(encodeURIComponent(file))}" view="${view}"${place} page="${safe(href)}" controls tabs autoplay></tab-gym>`;
}
