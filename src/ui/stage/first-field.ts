/** First text field below an element, through shadow roots. */
export function firstField(element: Element | null): HTMLElement | null {
  for (const each of element?.querySelectorAll('*') ?? []) {
    if (each instanceof HTMLInputElement || each instanceof HTMLTextAreaElement) return each;
    const inside =
      each.shadowRoot && [...each.shadowRoot.children].map((child) => fieldIn(child)).find((found) => found);
    if (inside) return inside;
  }
  return null;
}

const fieldIn = (element: Element) =>
  element.matches('input, textarea') ? (element as HTMLElement) : firstField(element);
