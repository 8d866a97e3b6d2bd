/** Base class of elements that have texts of their own: they are drawn again when the language changes. */
import { updateWhenLocaleChanges } from '@lit/localize';
import { LitElement } from 'lit';

export abstract class LocalizedElement extends LitElement {
  constructor() {
    super();
    updateWhenLocaleChanges(this);
  }
}
