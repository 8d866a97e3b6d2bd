// Choice between the devices, with stand-ins: the requested device, the available ones, and the measurement and its
// memory.
import { describe, expect, it } from 'vitest';
import { type Device, DeviceUnavailableError } from '../../src/device/device.ts';
import { DeviceChooser, type DeviceOpeners } from '../../src/session/device/device-choice.ts';
import { SharedDevice } from '../../src/session/device/shared-device.ts';
import type { DeviceName } from '../../src/session/protocol.ts';
import type { AdapterMemory } from '../../src/store/adapter-memory.ts';

interface FakeDevice extends Device {
  destroyed: boolean;
}

function fakeDevice(name: DeviceName, isFallback = false): FakeDevice {
  const device = {
    info: { vendor: name, architecture: '', description: `a ${name}`, isFallback, subgroupMinSize: 0 },
    failure: null,
    destroyed: false,
    destroy: () => {
      device.destroyed = true;
    },
  };
  return device as unknown as FakeDevice;
}

/**
 * A machine with a GPU and a processor; `gpu` and `wasm` change what is available. `opened` lists every device that was
 * opened.
 */
function machine({ gpu = 'real', wasm = true }: { gpu?: 'real' | 'software' | 'none'; wasm?: boolean } = {}) {
  const opened: { [name in DeviceName]: FakeDevice[] } = { webgpu: [], wasm: [] };
  const give = (name: DeviceName, isFallback: boolean) => {
    const device = fakeDevice(name, isFallback);
    opened[name].push(device);
    return device;
  };
  const openers: DeviceOpeners = {
    webgpu: async () => {
      if (gpu === 'none') throw new DeviceUnavailableError('This browser offers no WebGPU.');
      return give('webgpu', gpu === 'software');
    },
    wasm: async () => {
      if (!wasm) throw new DeviceUnavailableError('There is no WebAssembly SIMD.');
      return give('wasm', false);
    },
  };
  /** Devices that were opened and not destroyed. */
  const alive = () => [...opened.webgpu, ...opened.wasm].filter((device) => !device.destroyed);
  return { openers, opened, alive };
}

/** A stopwatch that returns the given times and counts its calls. */
function stopwatch(ms: { [name in DeviceName]: number }) {
  const timed: DeviceName[] = [];
  const measure = async ({ info }: Device) => {
    timed.push(info.vendor as DeviceName);
    return ms[info.vendor as DeviceName];
  };
  return { measure, timed };
}

function memory(): AdapterMemory & { kept: Map<string, { readonly [kernel: string]: unknown }> } {
  const kept = new Map<string, { readonly [kernel: string]: unknown }>();
  return {
    kept,
    read: async (adapter) => kept.get(adapter) ?? null,
    write: async (adapter, choices) => void kept.set(adapter, choices),
  };
}

const fastWasm = { webgpu: 90, wasm: 30 };
const fastGpu = { webgpu: 5, wasm: 30 };

describe('a requested device', () => {
  it.each(['webgpu', 'wasm'] as const)('is opened, and no other: %s', async (wanted) => {
    const { openers, opened } = machine({ gpu: 'software' });
    const { measure, timed } = stopwatch(fastGpu);
    const chooser = new DeviceChooser(openers, { requested: wanted, measure });
    expect((await chooser.open({ toTrain: true })).info.vendor).toBe(wanted);
    expect(chooser.choice).toEqual({ name: wanted, reason: 'asked', measured: null, problem: '' });
    expect(opened[wanted === 'wasm' ? 'webgpu' : 'wasm']).toEqual([]);
    expect(timed).toEqual([]);
  });

  it('is refused with its own reason if missing, whatever else is available', async () => {
    const chooser = new DeviceChooser(machine({ gpu: 'none' }).openers, { requested: 'webgpu' });
    await expect(chooser.open()).rejects.toThrow('This browser offers no WebGPU.');
    chooser.ask(null);
    expect((await chooser.open()).info.vendor).toBe('wasm');
  });

  it('is opened the next time after a change of the choice', async () => {
    const chooser = new DeviceChooser(machine().openers, { measure: stopwatch(fastGpu).measure });
    await chooser.open({ toTrain: true });
    chooser.ask('wasm');
    expect(chooser.choice).toBeNull();
    expect((await chooser.open({ toTrain: true })).info.vendor).toBe('wasm');
  });
});

describe('with only one device', () => {
  it('the processor is taken, with the reason there is no GPU', async () => {
    const { openers } = machine({ gpu: 'none' });
    const { measure, timed } = stopwatch(fastGpu);
    const chooser = new DeviceChooser(openers, { measure });
    await chooser.open({ toTrain: true });
    expect(chooser.choice).toMatchObject({ name: 'wasm', reason: 'only', problem: 'This browser offers no WebGPU.' });
    expect(timed).toEqual([]);
  });

  it('the GPU is taken, unmeasured, if there is no WebAssembly', async () => {
    const { openers, alive } = machine({ wasm: false });
    const { measure, timed } = stopwatch(fastWasm);
    const chooser = new DeviceChooser(openers, { measure });
    const device = await chooser.open({ toTrain: true });
    expect(device.info.vendor).toBe('webgpu');
    expect(timed).toEqual([]);
    expect(alive()).toEqual([device]);
  });

  it('even a software adapter trains without WebAssembly', async () => {
    const { openers, alive } = machine({ gpu: 'software', wasm: false });
    const chooser = new DeviceChooser(openers);
    const device = await chooser.open({ toTrain: true });
    expect(chooser.choice).toMatchObject({ name: 'webgpu', reason: 'only' });
    expect(alive()).toEqual([device]);
  });

  it('opening is refused if there is none at all', async () => {
    const chooser = new DeviceChooser(machine({ gpu: 'none', wasm: false }).openers);
    await expect(chooser.open()).rejects.toThrow(DeviceUnavailableError);
  });

  it('an unrelated error does not count as a missing GPU', async () => {
    const { openers, opened } = machine();
    const broken = { ...openers, webgpu: () => Promise.reject(new TypeError('a bug')) };
    await expect(new DeviceChooser(broken).open()).rejects.toThrow(TypeError);
    expect(opened.wasm).toEqual([]);
  });
});

it('a software adapter is never chosen over the processor, even if it measures faster', async () => {
  const { openers, alive } = machine({ gpu: 'software' });
  const { measure, timed } = stopwatch(fastGpu);
  const chooser = new DeviceChooser(openers, { measure, memory: memory() });
  for (const toTrain of [false, true]) {
    const device = await chooser.open({ toTrain });
    expect(device.info.vendor).toBe('wasm');
    expect(chooser.choice?.reason).toBe('software');
    expect(chooser.isProvisional).toBe(false);
    expect(alive()).toEqual([device]);
    device.destroy();
  }
  expect(timed).toEqual([]);
});

describe('with two real devices', () => {
  it.each([
    ['wasm', fastWasm],
    ['webgpu', fastGpu],
  ] as const)('the faster one trains, and the other is released: %s', async (faster, ms) => {
    const { openers, alive } = machine();
    const { measure, timed } = stopwatch(ms);
    const chooser = new DeviceChooser(openers, { measure });
    const device = await chooser.open({ toTrain: true });
    expect(device.info.vendor).toBe(faster);
    expect(chooser.choice).toEqual({ name: faster, reason: 'measured', measured: ms, problem: '' });
    expect(timed).toEqual(['webgpu', 'wasm']);
    expect(alive()).toEqual([device]);
  });

  it('the measurement is made once for an adapter and used in the next visit', async () => {
    const kept = memory();
    const { measure, timed } = stopwatch(fastWasm);
    await new DeviceChooser(machine().openers, { measure, memory: kept }).open({ toTrain: true });
    expect([...kept.kept.keys()]).toEqual(['device choice: webgpu, a webgpu']);
    const next = new DeviceChooser(machine().openers, { measure, memory: kept });
    // Opened without training; the stored measurement is used all the same.
    expect((await next.open()).info.vendor).toBe('wasm');
    expect(next.choice).toMatchObject({ reason: 'measured', measured: fastWasm });
    expect(timed).toHaveLength(2);
  });

  it('the measurement is repeated if the stored value is unreadable or storage is refused', async () => {
    const refused: AdapterMemory = {
      read: () => Promise.reject(new Error('refused')),
      write: () => Promise.reject(new Error('refused')),
    };
    const unreadableMemory = memory();
    await unreadableMemory.write('device choice: webgpu, a webgpu', { webgpu: 1 });
    for (const each of [refused, unreadableMemory]) {
      const { measure, timed } = stopwatch(fastWasm);
      const chooser = new DeviceChooser(machine().openers, { measure, memory: each });
      expect((await chooser.open({ toTrain: true })).info.vendor).toBe('wasm');
      expect(timed).toHaveLength(2);
    }
  });

  it('the GPU stands in until the first training, which measures', async () => {
    const { openers, alive } = machine();
    const { measure, timed } = stopwatch(fastWasm);
    const chooser = new DeviceChooser(openers, { measure });
    const shared = new SharedDevice(chooser);
    expect((await shared.open()).info.vendor).toBe('webgpu');
    expect(chooser.choice?.reason).toBe('unmeasured');
    expect(chooser.isProvisional).toBe(true);
    expect(await shared.open()).toBe(alive()[0]);
    expect(timed).toEqual([]);

    const trains = await shared.open({ toTrain: true });
    expect(trains.info.vendor).toBe('wasm');
    expect(chooser.isProvisional).toBe(false);
    expect(timed).toEqual(['webgpu', 'wasm']);
    expect(await shared.open({ toTrain: true })).toBe(trains);
    expect(alive()).toEqual([trains]);
  });

  it('a GPU that fails at the measurement is released, and the processor is used', async () => {
    const { openers, alive } = machine();
    const measure = async ({ info }: Device) => {
      if (info.vendor === 'webgpu') throw new DeviceUnavailableError('Out of memory.');
      return 5;
    };
    const chooser = new DeviceChooser(openers, { measure });
    const device = await chooser.open({ toTrain: true });
    expect([device.info.vendor, chooser.choice]).toEqual([
      'wasm',
      { name: 'wasm', reason: 'only', measured: null, problem: 'Out of memory.' },
    ]);
    expect(alive()).toEqual([device]);
  });
});
