/** Computes logits and greedy replies of the served file in this browser, and reports their hashes. */
import { WasmDevice } from '../../../../src/device/wasm/device.ts';
import { servedModel } from '../../../served-model.ts';
import { greedyOf, hashOf, logitsOf, openForm } from '../forms.ts';
import type { BitsReport, BitsRequest } from './request.ts';

const say = (report: BitsReport) => fetch('/said', { method: 'POST', body: JSON.stringify(report) });

async function compute(): Promise<BitsReport> {
  const { name, precision, chats, greedy, stop }: BitsRequest & { name: string } = await (
    await fetch('/request')
  ).json();
  const ids = chats.map((each) => Int32Array.from(each));
  const device = await WasmDevice.open();
  const model = await openForm(device, await servedModel(name, precision), null);
  const hash = await hashOf(await logitsOf(model, ids));
  return { hash, replies: await greedyOf(model, ids.slice(0, greedy), stop), threads: device.threads };
}

compute().then(say, (error: Error) => say({ error: String(error.stack ?? error) }));
