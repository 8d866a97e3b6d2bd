/**
 * Kernels: the WGSL files of `shaders/`, their constants, pipelines and bind groups.
 *
 * Each shader file holds one operation; its entry point has the name of the file. All shaders use the same three
 * mechanisms. A line `// @include NAME` is replaced by shaders/NAME.wgsl, and `// @include NAME CONSTANT` by the file
 * whose name ends with the value of that constant. The lines between `// @repeat i COUNT` and `// @end` are repeated
 * with `$i` counting up, and can be nested (software adapters keep an indexed array in memory and run ten times slower
 * than with named registers). The caller's constants are inserted at the start as `const` (numbers) or `alias` (type
 * names). Lines `enable ...;` move to the front. A line `// @registers many` marks a kernel whose values fill the registers
 * of a GPU: on one of Intel it is compiled for the smallest subgroups. `// @registers many ROWS 8` does so from 8 rows on.
 *
 * Bindings and scalars are read from the source, so a kernel call is plain data: `{kernel, bindings, grid, params}`.
 * Binding 0 is always the uniform block with the scalars of a call.
 */
import type { BufferSlice, CompileProgress, Constants, Device, Kernel, KernelCache, KernelHandle } from '../device.ts';
import type { ScalarLayout, ScalarType } from '../scalars.ts';
import { GpuError, gpuBuffer } from './errors.ts';
import type { OpenedGpu } from './opened.ts';

const sources = import.meta.glob<string>('/shaders/*.wgsl', { query: '?raw', import: 'default', eager: true });

/** Text of a shader file with its includes, without the caller's constants. */
export function shaderSource(name: string, constants: Constants = {}, seen: string[] = []): string {
  const text = sources[`/shaders/${name}.wgsl`];
  if (text === undefined) throw new GpuError(`shaders/${name}.wgsl does not exist.`);
  if (seen.includes(name)) throw new GpuError(`shaders/${name}.wgsl includes itself.`);
  return text.replace(/^\/\/ @include (\w+)(?: (\w+))?$/gm, (_, part: string, choice?: string) =>
    shaderSource(choice ? `${part}${constants[choice]}` : part, constants, [...seen, name]),
  );
}

/** Unrolls `@repeat` blocks, inner ones first. COUNT is a number or the name of a constant. */
function repeat(code: string, constants: Constants): string {
  const unrolled = code.replace(
    /^[ \t]*\/\/ @repeat (\w+) (\w+)\n((?:(?!^[ \t]*\/\/ @repeat )[\s\S])*?)^[ \t]*\/\/ @end\n/gm,
    (_, index: string, count: string, body: string) => {
      const times = Number(constants[count] ?? count);
      return Array.from({ length: times }, (_, i) => body.replaceAll(`$${index}`, String(i))).join('');
    },
  );
  return unrolled === code ? code : repeat(unrolled, constants);
}

/** Moves `enable` directives to the front, as WGSL requires. */
function withEnables(code: string): string {
  const line = /^enable \w+;$/gm;
  const enables = [...new Set(code.match(line) ?? [])];
  return [...enables, code.replace(line, '')].join('\n');
}

function inject(constants: Constants): string {
  return Object.entries(constants)
    .map(([name, value]) =>
      typeof value === 'string'
        ? `alias ${name} = ${value};`
        : `const ${name}: ${Number.isInteger(value) && !name.endsWith('_F') ? 'u32' : 'f32'} = ${wgslNumber(value, name)};`,
    )
    .join('\n');
}

function wgslNumber(value: number, name: string): string {
  if (name.endsWith('_F') || !Number.isInteger(value)) return /[.e]/.test(String(value)) ? `${value}` : `${value}.0`;
  return `${value}u`;
}

/** Types of the bindings, in the order of their numbers. */
function parseBindings(code: string): GPUBufferBindingType[] {
  const kinds: GPUBufferBindingType[] = [];
  for (const match of code.matchAll(/@binding\((\d+)\)\s+var<(uniform|storage,\s*read_write|storage(?:,\s*read)?)>/g)) {
    const kind = match[2];
    kinds[Number(match[1])] =
      kind === 'uniform' ? 'uniform' : kind.includes('read_write') ? 'storage' : 'read-only-storage';
  }
  return kinds;
}

/** Names and types of the scalars in the order of `struct Params`; empty if a kernel has none. */
export function parseScalars(code: string): ScalarLayout {
  const fields = /struct Params \{([^}]*)\}/.exec(code)?.[1] ?? '';
  return [...fields.matchAll(/(\w+)\s*:\s*(u32|f32)/g)].map(([, name, type]) => [name, type as ScalarType]);
}

/** One compiled pipeline. */
export class WebGpuKernel implements Kernel {
  /** Bind groups by the recorder's uniform buffer, so that they are dropped with their recorder. */
  private readonly groups = new WeakMap<GPUBuffer, Map<string, GPUBindGroup>>();

  constructor(
    readonly gpu: OpenedGpu,
    readonly name: string,
    readonly constants: Constants,
    readonly extra: string,
    readonly code: string,
    readonly pipeline: GPUComputePipeline,
    readonly layout: GPUBindGroupLayout,
    /** Types of all bindings, starting with the uniform block. */
    readonly kinds: readonly GPUBufferBindingType[],
    readonly scalars: ScalarLayout,
  ) {}

  get bindingCount(): number {
    return this.kinds.length - 1;
  }

  writes(i: number): boolean {
    return this.kinds[i + 1] === 'storage';
  }

  /** The bind group for these buffers; created once and kept. */
  bindGroup(uniforms: GPUBuffer, bindings: readonly BufferSlice[]): GPUBindGroup {
    if (bindings.length !== this.kinds.length - 1) {
      throw new GpuError(`${this.name} takes ${this.kinds.length - 1} buffers, got ${bindings.length}.`);
    }
    const groups = this.groupsOf(uniforms);
    const key = bindings.map((b) => `${bufferId(gpuBuffer(b.buffer))}:${b.offset}:${b.size}`).join('|');
    const group = groups.get(key) ?? this.createGroup(uniforms, bindings);
    groups.set(key, group);
    return group;
  }

  private groupsOf(uniforms: GPUBuffer): Map<string, GPUBindGroup> {
    const groups = this.groups.get(uniforms) ?? new Map<string, GPUBindGroup>();
    this.groups.set(uniforms, groups);
    return groups;
  }

  private createGroup(uniforms: GPUBuffer, bindings: readonly BufferSlice[]): GPUBindGroup {
    return this.gpu.device.createBindGroup({
      label: this.name,
      layout: this.layout,
      entries: [
        { binding: 0, resource: { buffer: uniforms, offset: 0, size: uniformBlockBytes } },
        ...bindings.map(({ buffer, offset, size }, i) => ({
          binding: i + 1,
          resource: { buffer: gpuBuffer(buffer), offset, size },
        })),
      ],
    });
  }

  /** Drops the bind groups of a recorder that is destroyed. */
  forget(uniforms: GPUBuffer): void {
    this.groups.delete(uniforms);
  }
}

/** Bytes of the uniform block that a kernel sees per call (16 scalars). */
const uniformBlockBytes = 64;

const ids = new WeakMap<GPUBuffer, number>();
let nextId = 1;
function bufferId(buffer: GPUBuffer): number {
  let id = ids.get(buffer);
  if (id === undefined) {
    id = nextId++;
    ids.set(buffer, id);
  }
  return id;
}

/** Compiles each (name, constants, extra) once per device, in parallel if the browser can. */
export class WebGpuKernels implements KernelCache {
  private readonly kernels = new Map<string, Promise<WebGpuKernel>>();
  private readonly ready = new Map<string, WebGpuKernel>();
  /** Kernels that were still compiling when a `settle` ended. */
  private readonly late = new Map<string, Promise<WebGpuKernel>>();

  constructor(readonly gpu: OpenedGpu) {}

  /**
   * Starts to compile a kernel; `get` returns it once `settle` has resolved. `extra` is WGSL inserted after the
   * constants, for example an objective.
   */
  request(name: string, constants: Constants = {}, extra = ''): KernelHandle {
    const key = `${name} ${JSON.stringify(constants)} ${extra}`;
    if (!this.kernels.has(key)) {
      this.kernels.set(key, this.late.get(key) ?? this.compiled(key, [name, constants, extra]));
      this.late.delete(key);
    }
    const { ready } = this;
    return {
      name,
      get isReady() {
        return ready.has(key);
      },
      get: () => this.take(key, name),
    };
  }

  private compiled(key: string, [name, constants, extra]: [string, Constants, string]): Promise<WebGpuKernel> {
    const promise = compile(this.gpu, name, constants, extra);
    promise.then((kernel) => this.ready.set(key, kernel)).catch(() => {});
    return promise;
  }

  private take(key: string, name: string): WebGpuKernel {
    const kernel = this.ready.get(key);
    if (!kernel) throw new GpuError(`Kernel ${name} was used before it was compiled.`);
    return kernel;
  }

  /** Waits for every requested kernel. Throws the first compile error, with its line and source. */
  async settle(onProgress?: CompileProgress, mostMs?: number): Promise<void> {
    const waiting = [...this.kernels].filter(([key]) => !this.ready.has(key));
    let done = 0;
    const all = Promise.all(
      waiting.map(async ([key, promise]) => {
        try {
          const { name } = await promise;
          onProgress?.(++done, waiting.length, name);
        } catch (error) {
          // The error is reported once; the next request compiles again.
          this.kernels.delete(key);
          this.late.delete(key);
          throw error;
        }
      }),
    );
    if (mostMs === undefined || (await within(all, mostMs))) return void (await all);
    for (const [key, promise] of waiting) {
      if (this.ready.has(key)) continue;
      this.kernels.delete(key);
      this.late.set(key, promise);
    }
  }

  all(): WebGpuKernel[] {
    return [...this.ready.values()];
  }

  /** Drops the bind groups of a recorder that is destroyed. */
  forget(uniforms: GPUBuffer): void {
    for (const kernel of this.ready.values()) kernel.forget(uniforms);
  }
}

/** True if the work ends within this time. */
async function within(work: Promise<unknown>, mostMs: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), mostMs);
  });
  try {
    return await Promise.race([work.then(() => true), end]);
  } finally {
    clearTimeout(timer);
  }
}

function hasManyRegisters(code: string, constants: Constants): boolean {
  const mark = code.match(/^\/\/ @registers many(?: (\w+) (\d+))?$/m);
  return mark !== null && (mark[1] === undefined || Number(constants[mark[1]]) >= Number(mark[2]));
}

/** WGSL of a kernel, as it is compiled. `smallest`: size of the subgroups of a kernel with many registers; 0: any. */
export function kernelCode(name: string, constants: Constants, extra: string, smallest = 0): string {
  const code = `${inject(constants)}\n${extra}\n${repeat(shaderSource(name, constants), constants)}`;
  if (!smallest || !hasManyRegisters(code, constants)) return withEnables(code);
  const sized = code.replace('@compute ', `@compute @subgroup_size(${smallest}) `);
  return withEnables(`enable subgroups;\nenable subgroup_size_control;\n${sized}`);
}

/**
 * Size of the subgroups for kernels with many registers; 0: the browser's choice. A thread of an Intel GPU has 128 registers
 * of eight lanes (Xe2: of 16) and the browser lets it have twice as many lanes, so each value takes two registers
 * (docs/gpu.md, Intel's compiler).
 */
export const smallestSubgroups = ({ info, features }: Pick<Device, 'info' | 'features'>): number =>
  info.vendor === 'intel' && features.has('subgroup-size-control') ? info.subgroupMinSize : 0;

async function compile(gpu: OpenedGpu, name: string, constants: Constants, extra: string): Promise<WebGpuKernel> {
  const code = kernelCode(name, constants, extra, smallestSubgroups(gpu));
  const device = gpu.device;
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ label: name, code });
  const kinds = parseBindings(code);
  const layout = device.createBindGroupLayout({
    label: name,
    entries: kinds.map((type, binding) => ({
      binding,
      visibility: 0x4 /* GPUShaderStage.COMPUTE */,
      buffer: { type, hasDynamicOffset: type === 'uniform' },
    })),
  });
  const pipelineLayout = device.createPipelineLayout({ label: name, bindGroupLayouts: [layout] });
  const scope = device.popErrorScope();
  let pipeline: GPUComputePipeline;
  try {
    pipeline = await device.createComputePipelineAsync({
      label: name,
      layout: pipelineLayout,
      compute: { module, entryPoint: name },
    });
  } catch (cause) {
    const scoped = await scope;
    throw new GpuError(`${await explain(module, name, code)}${scoped ? `\n${scoped.message}` : ''}`, { cause });
  }
  const error = await scope;
  if (error) throw new GpuError(`${await explain(module, name, code)}\n${error.message}`);
  return new WebGpuKernel(gpu, name, constants, extra, code, pipeline, layout, kinds, parseScalars(code));
}

/** Each compiler message with its line, column and source line. */
async function explain(module: GPUShaderModule, name: string, code: string): Promise<string> {
  const info = await module.getCompilationInfo();
  const lines = code.split('\n');
  const messages = info.messages.map(
    (m) => `${name}.wgsl:${m.lineNum}:${m.linePos} ${m.type}: ${m.message}\n    ${lines[m.lineNum - 1] ?? ''}`,
  );
  return messages.length ? messages.join('\n') : `${name}.wgsl does not compile on this adapter.`;
}
