/**
 * The embedded view: `?embed` shows the stage alone, with a bar of one line, for slides and blogs. It computes with one thread, and runs no
 * code that came with a link: inside another's page a click may have been led astray.
 */
export const isEmbedded = (search = location.search): boolean => new URLSearchParams(search).has('embed'); // not a kind: the address's query

/** The same place as a page of its own. */
export function addressOutside(href = location.href): string {
  const address = new URL(href);
  address.searchParams.delete('embed');
  return address.href;
}

/** The other way round. */
export function addressInside(href: string): string {
  const address = new URL(href);
  address.searchParams.set('embed', '');
  return address.href.replace('embed=', 'embed');
}

/** HTML that shows an address in another page. */
export const embedCode = (href: string, title: string): string => {
  const safe = (text: string) => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
  return `<iframe src="${safe(addressInside(href))}" title="${safe(title)}" width="800" height="520" loading="lazy" allow="fullscreen" style="border:1px solid #8884"></iframe>`;
};
