/** Menu next to a chart's title that saves the chart as a file. */
import { msg, str } from '@lit/localize';
import { html } from 'lit';
import type { ChartFormat } from './save-chart.ts';

const formats: readonly ChartFormat[] = ['PNG', 'SVG', 'CSV'];

export function saveMenu(title: string, disabled: boolean, save: (format: ChartFormat) => void) {
  const choose = (event: Event) => {
    const select = event.target as HTMLSelectElement;
    const format = formats.find((each) => each === select.value);
    select.value = '';
    if (format) save(format);
  };
  return html`<select class="save small" aria-label=${msg(str`Save the chart: ${title}`)} ?disabled=${disabled} @change=${choose}>
    <option value="">${msg('Save')}</option>${formats.map((each) => html`<option value=${each}>${each}</option>`)}
  </select>`;
}
