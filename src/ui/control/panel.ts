/** Base class of panels: has the app's controller, and is drawn again when one of the state keys it reads changes. */
import { property } from 'lit/decorators.js';
import { LocalizedElement } from '../kit/localized-element.ts';
import type { State, StateKey } from '../state/state.ts';
import { Watch } from '../state/state.ts';
import type { Controller } from './controller.ts';

export abstract class Panel extends LocalizedElement {
  @property({ attribute: false }) app!: Controller;

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
