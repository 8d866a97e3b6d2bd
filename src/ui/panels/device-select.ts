/** List of devices to train on: automatic, processor, GPU. */
import { msg, str } from '@lit/localize';
import { html } from 'lit';
import type { DeviceName } from '../../session/protocol.ts';
import type { Controller } from '../control/controller.ts';
import { askedDevice, deviceName, deviceTitle } from '../state/device.ts';

export function deviceSelect(app: Controller) {
  const { gpu, busy } = app.store.state;
  if (!gpu) return null;
  const asked = askedDevice();
  const option = (value: string, label: string) =>
    html`<option value=${value} ?selected=${value === (asked ?? '')}>${label}</option>`;
  const choose = (event: Event) =>
    app.chooseDevice(((event.target as HTMLSelectElement).value || null) as DeviceName | null);
  return html`<select class="device" aria-label=${msg('Device that trains')} title=${deviceTitle(gpu)} ?disabled=${busy !== null} @change=${choose}>
    ${option('', asked ? msg('Fastest device') : msg(str`Fastest: ${deviceName(gpu)}`))}
    ${option('wasm', msg('Processor (WebAssembly)'))}
    ${option('webgpu', msg('GPU (WebGPU)'))}
  </select>`;
}
