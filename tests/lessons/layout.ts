/** Problems of a panel's drawn text: cut off by its box, or over another text. Runs in the page. */
export function textProblems(selector: string): string[] {
  const host = globalThis.deepAll(selector)[0];
  const root: ParentNode = host?.shadowRoot ?? host;
  const texts: { text: string; box: DOMRect }[] = [];
  const problems: string[] = [];
  const walk = (node: ParentNode) => {
    for (const element of node.querySelectorAll<HTMLElement>('*')) {
      if (element.shadowRoot) walk(element.shadowRoot);
      if (element.closest('.visually-hidden, math, svg')) continue;
      const own = [...element.childNodes].filter((each) => each.nodeType === 3 && each.textContent?.trim());
      // The rest of a closed `<details>` has boxes in Chromium from 131 on, though nobody sees it.
      if (!own.length || !element.getClientRects().length || !element.checkVisibility()) continue;
      const { overflowX, display } = getComputedStyle(element);
      if (display !== 'inline' && overflowX !== 'auto' && element.scrollWidth > element.clientWidth + 1)
        problems.push(`cut: ${element.textContent?.trim().slice(0, 60)}`);
      for (const each of own) {
        const range = document.createRange();
        range.selectNodeContents(each);
        for (const box of range.getClientRects()) texts.push({ text: each.textContent!.trim(), box });
      }
    }
  };
  if (root) walk(root);
  const inner = (a: DOMRect, b: DOMRect) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  texts.forEach((a, i) => {
    for (const b of texts.slice(i + 1))
      if (a.text !== b.text && inner(a.box, b.box))
        problems.push(`over each other: ${a.text.slice(0, 40)} / ${b.text.slice(0, 40)}`);
  });
  return problems;
}

declare global {
  var deepAll: (selector: string) => Element[];
}
