/**
 * `tabgym/element`: the element `<tab-gym>`, which shows an agent in any page. Importing this entry defines it.
 *
 * @example
 * ```html
 * <script type="module" src="/tabgym/web/element.js"></script>
 * <tab-gym src="experiment.json" view="curves" controls></tab-gym>
 * ```
 */
import { TabGymElement } from './element/element.ts';

export type { TabGymEvents, ViewName } from './element/element.ts';
export { TabGymElement };

if (globalThis.customElements && !customElements.get('tab-gym')) customElements.define('tab-gym', TabGymElement);
