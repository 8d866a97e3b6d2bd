/**
 * The device that trains: which one the person asked for (in the address for this visit, else as it was chosen before), and in
 * words which one it is and why.
 */
import { msg, str } from '@lit/localize';
import type { DeviceName, GpuReport } from '../../session/protocol.ts';

const key = 'tabgym.device';
const names: readonly DeviceName[] = ['webgpu', 'wasm'];
const known = (name: string | null): DeviceName | null => names.find((each) => each === name) ?? null;

/** `?device=wasm|webgpu` of the address, else what was chosen in this browser; null: whichever is the fastest. */
/* not a kind: the address's query */ export function askedDevice(search = location.search): DeviceName | null {
  return known(new URLSearchParams(search).get('device')) ?? known(localStorage.getItem(key));
}

/** For this visit and the next; an address that asked for one asks no more. */
export function rememberDevice(name: DeviceName | null): void {
  const address = new URL(location.href);
  address.searchParams.delete('device');
  history.replaceState(null, '', address);
  if (name) localStorage.setItem(key, name);
  else localStorage.removeItem(key);
}

export const isProcessor = (gpu: GpuReport) => gpu.adapter.vendor === 'processor';

/** "processor, 2 threads", or the adapter's name. */
export function deviceLabel(gpu: GpuReport): string {
  if (!gpu.supported) return msg('No device');
  if (!isProcessor(gpu)) {
    const name = gpu.adapter.description || gpu.adapter.architecture || gpu.adapter.vendor;
    return gpu.adapter.isFallback ? msg('software adapter') : name;
  }
  const { threads } = gpu.limits;
  return threads === 1 ? msg('processor, 1 thread') : msg(str`processor, ${threads} threads`);
}

/** The same without a number, for a narrow place. */
export const deviceName = (gpu: GpuReport) => (gpu.supported && isProcessor(gpu) ? msg('processor') : deviceLabel(gpu));

/** Why there is one thread where there are more cores. */
function threadWords(gpu: GpuReport): string {
  if (!isProcessor(gpu) || gpu.limits.threads > 1 || navigator.hardwareConcurrency < 2) return '';
  const reasons: { [reason: string]: string } = {
    framed: msg('One thread: a page inside another page may not share memory between threads.'),
    'no-service-worker': msg(
      'One thread: this window keeps no service worker (a private window, or a page without https).',
    ),
    refused: msg('One thread: the browser did not isolate this page.'),
  };
  return reasons[document.documentElement.dataset.isolation ?? ''] ?? '';
}

function reasonWords({ choice, problem }: GpuReport): string {
  if (!choice) return problem;
  const { reason, measured } = choice;
  const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0);
  const figures = measured
    ? msg(
        str`An update of 1,024 tokens took ${ms(measured.webgpu)} ms on the GPU and ${ms(measured.wasm)} ms on the processor.`,
      )
    : '';
  const words: { [reason in typeof choice.reason]: string } = {
    asked: msg('You chose it.'),
    only: choice.problem || msg('It is the only one here.'),
    software: msg('The only WebGPU adapter here is software, many times slower than the processor itself.'),
    measured: msg(str`${figures} The faster one trains.`),
    unmeasured: msg('It is measured against the processor at the first Train.'),
  };
  return words[reason];
}

/** Which device trains, and why, in a sentence or two. */
export function deviceWords(gpu: GpuReport): string {
  return [reasonWords(gpu), threadWords(gpu)].filter(Boolean).join(' ');
}

/** The device and why it trains, for a tooltip. */
export const deviceTitle = (gpu: GpuReport) =>
  gpu.supported ? `${deviceLabel(gpu)}. ${deviceWords(gpu)}` : deviceWords(gpu);
