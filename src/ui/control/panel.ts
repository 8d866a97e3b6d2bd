/**
 * Base class of panels: has the app's controller, and is drawn again when one of the state keys it reads changes. A panel
 * of the first picture names the parts that it uses, because the shell provides them before the controller is loaded.
 */
import { property } from 'lit/decorators.js';
import { LocalizedElement } from '../kit/localized-element.ts';
import type { State, StateKey, Store } from '../state/state.ts';
import { Watch } from '../state/state.ts';
import type { Controller } from './controller.ts';

export abstract class Panel<Control extends { readonly store: Store } = Controller> extends LocalizedElement {
  @property({ attribute: false }) app!: Control;

  constructor(keys: readonly StateKey[]) {
    super();
    new Watch(this, () => this.app.store, keys);
  }

  protected get state(): State {
    return this.app.store.state;
  }

  /** True if a teacher's link hides a control, a section of the setup or a knob by its path. Reads `link`. */
  protected hides(control: string): boolean {
    return this.state.link.hide.includes(control);
  }
}
