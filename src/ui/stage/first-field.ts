/** First text field below an element or in its shadow, through further shadow roots. */
export function firstField(root: ParentNode | null): HTMLElement | null {
  for (const each of root?.querySelectorAll('*') ?? []) {
    if (each instanceof HTMLInputElement || each instanceof HTMLTextAreaElement) return each;
    const inside = firstField(each.shadowRoot);
    if (inside) return inside;
  }
  return null;
}
