/**
 * DEVICE: name and the reason for its choice, self-test of each kernel, memory by part, time by kernel, and WGSL
 * sources.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement } from 'lit/decorators.js';
import type { GpuReport } from '../../session/protocol.ts';
import { Panel } from '../control/panel.ts';
import { kernelCount } from '../kit/counts.ts';
import { bytes, compact } from '../kit/format.ts';
import { errorState, loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import { deviceLabel, deviceReason, isProcessor } from '../state/device.ts';
import { memoryPartLabel } from '../state/labels.ts';
import type { GpuDetails } from '../state/state.ts';
import { deviceSelect } from './device-select.ts';

@customElement('tabgym-gpu')
export class TabgymGpu extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 14px;
      }
      .adapter {
        display: grid;
        gap: 6px;
      }
      dl {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: 2px 12px;
      }
      dt {
        color: var(--text-2);
      }
      dd {
        overflow-wrap: anywhere;
      }
      pre {
        margin: 4px 0;
        padding: 8px;
        max-height: 340px;
        overflow: auto;
        background: var(--surface-2);
        border-radius: var(--radius);
        font: var(--size-s) / 1.5 var(--mono);
        tab-size: 2;
      }
      summary {
        cursor: pointer;
        min-height: 24px;
      }
      .choice {
        margin-block: 8px;
        p {
          overflow-wrap: anywhere;
        }
      }
      .used {
        font-weight: 600;
      }
      .kernel {
        border-block-end: 1px solid var(--line);
      }
      .facts {
        display: flex;
        justify-content: space-between;
        gap: 8px;
        padding: 3px 0;
      }
    `,
  ];

  constructor() {
    super(['gpu', 'gpuDetails', 'busy']);
  }

  override render() {
    const { gpu } = this.state;
    if (!gpu) return loadingState(msg('Looking for a device'));
    if (!gpu.supported)
      return html`<div class="message warning"><strong>${msg('No device to train on')}</strong><p>${gpu.problem}</p></div>${deviceSelect(this.app)}`;
    return html`${this.renderAdapter(gpu)} ${this.renderSelftest(gpu)} ${this.renderDetails()}`;
  }

  /** Vendor of a GPU, or the threads of the processor. */
  private renderName(gpu: GpuReport) {
    const { vendor, architecture, description, isFallback } = gpu.adapter;
    if (isProcessor(gpu))
      return html`<dt>${msg('Name')}</dt><dd>${deviceLabel(gpu)}</dd>
        <dt>${msg('Runs')}</dt><dd>${[description, architecture].filter(Boolean).join(', ')}</dd>`;
    return html`<dt>${msg('Name')}</dt><dd>${description || architecture || '–'} ${isFallback ? html`<span class="badge warn">! ${msg('software: slow')}</span>` : nothing}</dd>
      <dt>${msg('Vendor')}</dt><dd>${vendor || '–'} ${architecture}</dd>`;
  }

  private renderAdapter(gpu: GpuReport) {
    const { features, limits } = gpu;
    const names = Object.entries(limits);
    return html`<section class="adapter"><h2>${msg('Device')}</h2>
      <div>${deviceSelect(this.app)}</div><p>${deviceReason(gpu)}</p>
      <dl>${this.renderName(gpu)}<dt>${msg('Features')}</dt><dd class="small">${features.join(', ') || msg('none beyond the core')}</dd></dl>
      <details><summary>${msg(str`${names.length} limits`)}</summary><table class="small"><tbody>${names.map(([name, value]) => html`<tr><td class="mono">${name}</td><td class="number">${value.toLocaleString()}</td></tr>`)}</tbody></table></details>
    </section>`;
  }

  private renderSelftest({ selftest }: GpuReport) {
    const failed = selftest.filter((each) => !each.ok);
    if (!selftest.length)
      return html`<section><h2>${msg('Self-test')}</h2><p class="soft">${msg('Each kernel is compared with plain arithmetic when the first run is prepared.')}</p></section>`;
    return html`<section><h2>${msg('Self-test')}</h2>
      ${
        failed.length
          ? html`<div class="message error"><strong>${msg(str`On this adapter wrong numbers come from ${failed.length} of ${kernelCount(selftest.length)}.`)}</strong>
              ${failed.map((each) => html`<p><span class="mono">${each.kernel}</span>: ${each.detail}</p>`)}</div>`
          : html`<p><span class="badge good">✓ ${msg('passed')}</span> ${msg(str`Checked against plain arithmetic: ${kernelCount(selftest.length)}.`)}</p>`
      }
      <details><summary>${msg('Each kernel')}</summary><table class="small"><tbody>${selftest.map(
        (each) =>
          html`<tr><td class="mono">${each.kernel}</td><td class=${each.ok ? 'good' : 'bad'}>${each.ok ? `✓ ${msg('ok')}` : `✕ ${msg('wrong')}`}</td><td class="soft">${each.detail}</td></tr>`,
      )}</tbody></table></details>
    </section>`;
  }

  private renderDetails() {
    const { gpuDetails } = this.state;
    if (gpuDetails.state === 'loading') return loadingState(msg('Reading the device’s counters'));
    if (gpuDetails.state === 'error')
      return errorState(
        gpuDetails.message,
        html`<button @click=${() => this.app.layout.loadGpu()}>${msg('Try again')}</button>`,
      );
    if (gpuDetails.state !== 'ready') return nothing;
    return html`${this.renderMemory(gpuDetails.value.memory)} ${this.renderForms(gpuDetails.value.forms ?? [])} ${this.renderKernels(gpuDetails.value.kernels)}`;
  }

  private renderMemory(memory: GpuDetails['memory']) {
    if (!memory.length)
      return html`<section><h2>${msg('Memory')}</h2><p class="soft">${msg('Nothing is allocated until a run starts.')}</p></section>`;
    const total = memory.reduce((sum, part) => sum + part.bytes, 0);
    const sorted = [...memory].sort((a, b) => b.bytes - a.bytes);
    return html`<section><h2>${msg('Memory')}</h2><p class="number"><strong>${bytes(total)}</strong> ${msg('allocated')}</p>
      <table class="small"><tbody>${sorted.map((part) => html`<tr><td>${memoryPartLabel(part.name)}</td><td class="number">${bytes(part.bytes)}</td></tr>`)}</tbody></table></section>`;
  }

  /** Forms of kernels with what each costs, the one that the run uses marked. */
  private renderForms(forms: NonNullable<GpuDetails['forms']>) {
    if (!forms.length) return nothing;
    const measured = forms.filter(({ times }) => times);
    return html`<section><h2>${msg('Forms of kernels')}</h2>
      <p class="soft">${msg('Measured once on this adapter, at this run’s widest and narrowest sizes, within a second. A run keeps the forms it began with, marked ✓, because another form rounds differently.')}</p>
      <p>${msg(str`${measured.length} of ${forms.length} choices are measured.`)} ${
        measured.length < forms.length
          ? msg('The others use the form expected to be the fastest and are measured when the next run begins here.')
          : nothing
      }</p>
      <details><summary>${msg('Each choice')}</summary>
        <p class="small soft">${msg('M rows, N outputs and K inputs of a product; H heads, KV key heads of size D and T tokens of attention. After the form, the time of one call.')}</p>
        ${forms.map((each) => this.renderChoice(each))}</details></section>`;
  }

  private renderChoice({ choice, form, sizes, times }: NonNullable<GpuDetails['forms']>[number]) {
    const used = times?.find((time) => time.form === form)?.ms;
    const row = ({ form: name, ms }: { form: string; ms: number }) => {
      const isUsed = name === form;
      const cost = used && !isUsed ? msg(str`${compact(ms / used)} times`) : nothing;
      return html`<tr class=${isUsed ? 'used' : 'soft'}><td>${isUsed ? '✓ ' : nothing}${name}</td><td class="number">${compact(1000 * ms)} µs</td><td class="number">${cost}</td></tr>`;
    };
    return html`<div class="choice"><p class="mono small">${choice}</p><p class="small soft">${sizes}</p>
      <table class="small"><tbody>${
        times?.length
          ? times.map(row)
          : html`<tr class="used"><td>✓ ${form}</td><td class="soft">${times ? msg('too slow here to be measured') : msg('not measured yet')}</td></tr>`
      }</tbody></table></div>`;
  }

  /** A kernel of the WebAssembly device has no WGSL to show. */
  private renderKernel({ name, dispatches, ms, wgsl }: GpuDetails['kernels'][number]) {
    const facts = html`<span class="mono">${name}</span><span class="soft small number">${msg(str`${compact(dispatches)} dispatches`)}${
      ms === null ? nothing : html` · ${compact(ms)} ms`
    }</span>`;
    if (!wgsl) return html`<div class="kernel facts">${facts}</div>`;
    return html`<details class="kernel"><summary class="facts">${facts}</summary><pre tabindex="0" role="region" aria-label=${`WGSL: ${name}`}>${wgsl}</pre></details>`;
  }

  private renderKernels(kernels: GpuDetails['kernels']) {
    if (!kernels.length) return nothing;
    const sorted = [...kernels].sort((a, b) => (b.ms ?? 0) - (a.ms ?? 0) || b.dispatches - a.dispatches);
    return html`<section><div class="row spread"><h2>${msg('Kernels')}</h2><button class="link small" @click=${() => this.app.layout.loadGpu()}>${msg('Refresh')}</button></div>
      ${sorted.map((kernel) => this.renderKernel(kernel))}</section>`;
  }
}
