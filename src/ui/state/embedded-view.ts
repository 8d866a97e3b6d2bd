/**
 * The embedded view: `?embed` shows only the stage and a bar of one line, for slides and blogs. It trains on one thread
 * and never runs code that came with a link: the page around it may have tricked a person into the click
 * (clickjacking).
 */
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

/** HTML of a frame with the embedded view of an address. */
export const embedCode = (href: string, title: string): string => {
  const safe = (text: string) => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
  return `<iframe src="${safe(addressInside(href))}" title="${safe(title)}" width="800" height="520" loading="lazy" allow="fullscreen" style="border:1px solid #8884"></iframe>`;
};
