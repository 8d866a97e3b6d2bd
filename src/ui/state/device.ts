/**
 * The device that trains: the one the person chose (in the address for this visit, else the choice kept in this
 * browser), and its label with the reason.
 */
import { msg, str } from '@lit/localize';
import type { DeviceName, GpuReport } from '../../session/protocol.ts';
import { threadCount } from '../kit/counts.ts';
import { sentences } from '../kit/format.ts';
import { remember } from '../kit/remember.ts';

const key = 'tabgym.device';
const names: readonly DeviceName[] = ['webgpu', 'wasm'];
const known = (name: string | null): DeviceName | null => names.find((each) => each === name) ?? null;

/** Device named by `?device=wasm|webgpu`, else the one chosen in this browser; null for the fastest. */
/* not a kind: the address's query */ export function askedDevice(search = location.search): DeviceName | null {
  return known(new URLSearchParams(search).get('device')) ?? known(localStorage.getItem(key));
}

/** Keeps the choice for this visit and the next ones, and drops `device` from the address. */
export function rememberDevice(name: DeviceName | null): void {
  const address = new URL(location.href);
  address.searchParams.delete('device');
  history.replaceState(null, '', address);
  if (name) remember(key, name);
  else localStorage.removeItem(key);
}

export const isProcessor = (gpu: GpuReport) => gpu.adapter.vendor === 'processor';

/** "processor, 2 threads", or the name of the adapter. */
export function deviceLabel(gpu: GpuReport): string {
  if (!gpu.supported) return msg('No device');
  if (!isProcessor(gpu)) {
    const name = gpu.adapter.description || gpu.adapter.architecture || gpu.adapter.vendor;
    return gpu.adapter.isFallback ? msg('software adapter') : name;
  }
  const { threads } = gpu.limits;
  return msg(str`processor, ${threadCount(threads)}`);
}

/** Short form of `deviceLabel` for narrow places, without the number of threads. */
export const deviceName = (gpu: GpuReport) => (gpu.supported && isProcessor(gpu) ? msg('processor') : deviceLabel(gpu));

/** Reason for a single thread on a machine with several cores, or an empty text. */
function threadReason(gpu: GpuReport): string {
  if (!isProcessor(gpu) || gpu.limits.threads > 1 || navigator.hardwareConcurrency < 2) return '';
  const reasons: { [reason: string]: string } = {
    framed: msg('One thread: a page inside another page may not share memory between threads.'),
    'no-service-worker': msg(
      'One thread: this window has no service worker (a private window, or a page without https).',
    ),
    refused: msg('One thread: the browser did not isolate this page.'),
  };
  return reasons[document.documentElement.dataset.isolation ?? ''] ?? '';
}

function choiceReason({ choice, problem }: GpuReport): string {
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
    only: choice.problem || msg('It is the only device.'),
    software: msg('The only WebGPU adapter here is software, many times slower than the processor itself.'),
    measured: msg(str`${figures} The faster one trains.`),
    unmeasured: msg('It is compared with the processor at the first Train.'),
  };
  return words[reason];
}

/** Reason for the choice of the device, in a sentence or two. */
export function deviceReason(gpu: GpuReport): string {
  return sentences(choiceReason(gpu), threadReason(gpu));
}

/** The device and the reason for it, for a tooltip. */
export const deviceTitle = (gpu: GpuReport) =>
  gpu.supported ? `${deviceLabel(gpu)}. ${deviceReason(gpu)}` : deviceReason(gpu);
