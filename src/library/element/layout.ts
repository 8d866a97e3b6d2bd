/** The lasting parts of the element's shadow root. A new state fills them again and keeps the keyboard's place. */
import type { WorldView } from '../../envs/env.ts';
import { host } from './host.ts';
import { elementSheet } from './styles.ts';
import { make } from './views.ts';

/** Text and place of a control, by which it is found again after it was drawn anew. */
const keyOf = (element: Element) => `${element.tagName} ${element.getAttribute('name') ?? element.textContent}`;

export class Layout {
  private readonly header = make('header');
  private readonly picture = make('div', 'picture');
  private readonly view = make('div', 'view');
  private readonly body = make('div', 'body', this.picture, this.view);
  private pictured: WorldView | null = null;

  constructor(private readonly root: ShadowRoot) {
    root.adoptedStyleSheets = [elementSheet()];
    root.replaceChildren(make('div', 'root', this.header, this.body));
  }

  draw(header: readonly Node[], body: Node, picture: WorldView | null): void {
    // The part that scrolls can be scrolled by keys.
    const fills = this.root.host.hasAttribute('fill');
    [this.body.tabIndex, this.view.tabIndex] = fills ? [0, -1] : [-1, 0];
    const focused = this.root.activeElement;
    const typed = focused instanceof HTMLInputElement ? focused.value : '';
    this.header.replaceChildren(...header);
    this.view.replaceChildren(body);
    this.show(picture);
    if (!focused || focused.isConnected) return;
    const same = [...this.root.querySelectorAll<HTMLElement>('button, input')].find(
      (each) => keyOf(each) === keyOf(focused),
    );
    if (same instanceof HTMLInputElement) same.value = typed;
    same?.focus();
  }

  private show(view: WorldView | null): void {
    if (view === this.pictured || !host.picture) return;
    this.pictured = view;
    this.picture.hidden = !view;
    host.picture(view, this.picture);
  }
}
