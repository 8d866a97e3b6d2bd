/** Compiles forms of kernels for a family of GPUs, in a process of its own, because a process has one Vulkan driver. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/machine.mjs';
import { Gpu } from '../../src/device/webgpu/device.ts';
import { nodeGpu } from '../../src/library/node/gpu.ts';
import { type Assembly, readAssembly } from './assembly.ts';
import { environmentOf, type NullDriver } from './driver.ts';
import { type IntelFamily, intelFamilies, isIntel, readIntel } from './intel.ts';
import type { Form } from './recording-device.ts';
import { type Family, families } from './shares.ts';

/** A form with its code as read. `error`: the compiler's message where it refused. */
export interface Compiled<Code = Assembly> {
  form: Form;
  /** Threads of a workgroup. */
  threads: number;
  assembly: Code | null;
  error: string | null;
}

const mark = 'COMPILED ';

/** Threads of a workgroup: a number, or a product of constants. */
export function threadsOf(code: string, constants: Form['constants']): number {
  const size = code.match(/@workgroup_size\((\w+)\)/)?.[1] ?? '64';
  const expression = code.match(new RegExp(`^const ${size} = ([\\w */]+);$`, 'm'))?.[1] ?? size;
  return expression.split(/(?=[*/])/).reduce((value, part) => {
    const name = part.replace(/[*/\s]/g, '');
    const number = Number(constants[name] ?? Number.parseInt(name, 10));
    return part.startsWith('/') ? value / number : value * number;
  }, 1);
}

/** Dawn on the driver without hardware, which has no timestamps. */
async function openNull(): Promise<Gpu> {
  const dawn = await nodeGpu();
  const requestAdapter = async (options?: GPURequestAdapterOptions) => {
    const adapter = await dawn.requestAdapter(options);
    const features = new Set([...(adapter?.features ?? [])].filter((name) => name !== 'timestamp-query'));
    return new Proxy(adapter!, {
      get: (target, key) => {
        if (key === 'features') return features;
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  return Gpu.open({ requestAdapter } as unknown as GPU);
}

const newest = (folder: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .sort()
    .at(-1);

/** Work of the process with the driver: reads forms from standard input, prints a line for each. */
export async function compileHere(family: Family | IntelFamily): Promise<void> {
  const read = (text: string) =>
    isIntel(family) ? readIntel(text, intelFamilies[family].lanes) : readAssembly(text, families[family]);
  const forms: Form[] = JSON.parse(readFileSync(0, 'utf8'));
  const out = process.env.ISA_OUT!;
  const gpu = await openNull();
  for (const form of forms) {
    const result: Compiled<ReturnType<typeof read>> = { form, threads: 64, assembly: null, error: null };
    try {
      const before = newest(out);
      const kernel = gpu.kernels.request(form.name, form.constants, form.extra);
      await gpu.kernels.settle();
      const file = newest(out);
      if (!file || file === before) throw new Error('The driver wrote no pipeline.');
      result.threads = threadsOf(kernel.get().code, form.constants);
      result.assembly = read(readFileSync(join(out, file), 'utf8'));
    } catch (error) {
      result.error = error instanceof Error ? error.message : String(error);
    }
    process.stdout.write(`${mark}${JSON.stringify(result)}\n`);
  }
}

/** Compiles the forms for a family. The process is `build/cli/isa.js`. */
export async function compileFor<Code = Assembly>(
  driver: NullDriver,
  family: Family | IntelFamily,
  forms: readonly Form[],
): Promise<Compiled<Code>[]> {
  const env = environmentOf(driver, family, join(driver.folder, `${family}-${process.pid}`));
  const child = spawn(process.execPath, [join(root, 'build/cli/isa.js'), '--compile', family], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  let failed = '';
  child.stdout.on('data', (data) => (printed += data));
  child.stderr.on('data', (data) => (failed += data));
  child.stdin.end(JSON.stringify(forms));
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const lines = printed.split('\n').filter((line) => line.startsWith(mark));
  if (lines.length !== forms.length)
    throw new Error(`${family}: ${lines.length} of ${forms.length} forms were compiled (status ${status}). ${failed}`);
  return lines.map((line) => JSON.parse(line.slice(mark.length)));
}
