// Generates the AssemblyScript tables in build/kernels/ from the specification of the kernels
// (kernels-wasm/kernels.mjs), and compares every entry with its shaders and its function. build-wasm.mjs runs it before
// it compiles.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gpuOnly, kernels, recordLayout as layout } from '../kernels-wasm/kernels.mjs';
import { root } from './machine.mjs';

const file = (path) => readFileSync(join(root, path), 'utf8');
const scalarType = (constant) => (constant.endsWith('_F') ? 'f32' : 'u32');
const list = (names) => `(${names.join(', ')})`;
const typed = (scalars) => Object.entries(scalars).map(([name, type]) => `${name}: ${type}`);
/** Function of a kernel: rmsnormForward for rmsnorm_forward. */
const functionOf = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
/** Namespace of a kernel's accessors: RmsnormForward. */
const namespaceOf = (name) => functionOf(`_${name}`);

/** The sources that a specification is compared with. */
export function readSources() {
  const named = (folder, extension) =>
    Object.fromEntries(
      readdirSync(join(root, folder))
        .filter((name) => name.endsWith(extension))
        .map((name) => [name.slice(0, -extension.length), file(join(folder, name))]),
    );
  return { shaders: named('shaders', '.wgsl'), modules: named('kernels-wasm', '.ts') };
}

/** A shader without what a product may do where it stores its sums, which the processor does apart. */
const plainShader = (shaders, name) =>
  shaders[name].replace(/^\/\/ @include (\w+) (LOW_RANK|GATED|SCORED)$/gm, (_, part) =>
    plainShader(shaders, `${part}0`),
  );

/** Names and types of a shader's `struct Params`, its own or an included one's; null if it has none. */
function shaderScalars(shaders, name) {
  const source = plainShader(shaders, name);
  const own = /struct Params \{([^}]*)\}/.exec(source)?.[1];
  if (own !== undefined) return own.split(',').map((field) => field.trim());
  const includes = [...source.matchAll(/^\/\/ @include (\w+)$/gm)].map(([, included]) => included);
  const found = includes.find((included) => shaders[included]?.includes('struct Params'));
  return found ? shaderScalars(shaders, found) : null;
}

/**
 * Names of a shader's storage bindings in order of their number, without those of a low-rank adapter; binding 0, the
 * scalars, is left out.
 */
function shaderBindings(source) {
  const plain = source.replace(/^\/\/ @repeat l LOW_RANK\n[\s\S]*?^\/\/ @end\n/gm, '');
  const found = [...plain.matchAll(/@binding\((\d+)\) var<storage[^>]*> (\w+)/g)];
  return found.sort((a, b) => Number(a[1]) - Number(b[1])).map(([, , name]) => name);
}

function* shaderProblems(kernel, shaders) {
  if (kernel.shader === false) return;
  for (const form of [kernel.name, ...(kernel.forms ?? [])]) {
    if (shaders[form] === undefined) {
      yield `Kernel ${form}: shaders/${form}.wgsl does not exist. Add it, or mark the entry of kernels-wasm/kernels.mjs with shader: false.`;
      continue;
    }
    const bindings = shaderBindings(plainShader(shaders, form));
    if (list(bindings) !== list(kernel.bindings))
      yield `Kernel ${form}: kernels-wasm/kernels.mjs lists the bindings ${list(kernel.bindings)}, shaders/${form}.wgsl has ${list(bindings)}.`;
    const scalars = shaderScalars(shaders, form) ?? [];
    if (list(scalars) !== list(typed(kernel.scalars)))
      yield `Kernel ${form}: kernels-wasm/kernels.mjs lists the scalars ${list(typed(kernel.scalars))}, shaders/${form}.wgsl has ${list(scalars)}.`;
  }
}

function* nameProblems({ name, bindings, scalars, constants }) {
  for (const [part, names] of Object.entries({ bindings, scalars: Object.keys(scalars), constants })) {
    const { most } = layout[part];
    if (names.length > most) yield `Kernel ${name}: ${names.length} ${part}; a call record has room for ${most}.`;
  }
  const accessors = [...bindings.map((binding) => `${binding}At`), ...Object.keys(scalars), ...constants];
  const twice = accessors.find((each, i) => accessors.indexOf(each) !== i);
  if (twice) yield `Kernel ${name}: ${twice} stands for two of its bindings, scalars and constants. Rename one.`;
}

/** Compares an entry with its module: its function, the functions in `chunks`, and every name that the module reads. */
function* moduleProblems(kernel, modules) {
  const { name, module, bindings, scalars, constants } = kernel;
  const source = modules[module];
  if (source === undefined) {
    yield `Kernel ${name}: its module kernels-wasm/${module}.ts does not exist.`;
    return;
  }
  const exported = (each) => source.includes(`export function ${each}(`);
  if (!exported(functionOf(name)))
    yield `Kernel ${name}: kernels-wasm/${module}.ts does not export its function ${functionOf(name)}(call, chunk).`;
  for (const [, word, opens] of kernel.chunks.matchAll(/\b([A-Za-z_]\w*)\b(\()?/g)) {
    if (opens && !exported(word))
      yield `Kernel ${name}: its chunks call ${word}, which kernels-wasm/${module}.ts does not export.`;
    if (!opens && !(word in scalars) && !constants.includes(word))
      yield `Kernel ${name}: its chunks depend on ${word}, which is neither a scalar nor a constant of it.`;
  }
  const known = new Set([...bindings.map((binding) => `${binding}At`), ...Object.keys(scalars), ...constants]);
  for (const [, read] of source.matchAll(new RegExp(`\\b${namespaceOf(name)}\\.(\\w+)\\(`, 'g')))
    if (!known.has(read))
      yield `Kernel ${name}: kernels-wasm/${module}.ts reads ${read}, which kernels-wasm/kernels.mjs does not list.`;
}

/** Faults of a specification, as sentences that name the kernel. */
export function kernelProblems(specification, { shaders, modules }, withoutKernel = gpuOnly) {
  const problems = [];
  const seen = new Set();
  for (const kernel of specification) {
    for (const name of [kernel.name, ...(kernel.forms ?? [])]) {
      if (seen.has(name)) problems.push(`Kernel ${name}: two entries of kernels-wasm/kernels.mjs have this name.`);
      seen.add(name);
    }
    problems.push(...nameProblems(kernel), ...shaderProblems(kernel, shaders), ...moduleProblems(kernel, modules));
  }
  for (const [name, source] of Object.entries(shaders))
    if (source.includes('@compute') && !seen.has(name) && !withoutKernel.includes(name))
      problems.push(`Kernel ${name}: shaders/${name}.wgsl has no entry in kernels-wasm/kernels.mjs.`);
  return problems;
}

const generated = '// Generated by scripts/kernel-tables.mjs from kernels-wasm/kernels.mjs.\n';

/** One inline function that loads a word of a call record. */
const accessor = (name, type, word) =>
  `  // @ts-ignore: decorator\n  @inline\n  export function ${name}(call: usize): ${type} { return load<${type === 'f32' ? 'f32' : 'u32'}>(call, ${4 * word}); }\n`;

/** Accessors of a kernel's calls: its bindings (addresses), scalars and constants by name. */
function accessors({ bindings, scalars, constants }) {
  return [
    ...bindings.map((binding, i) => accessor(`${binding}At`, 'usize', layout.bindings.at + i)),
    ...Object.entries(scalars).map(([scalar, type], i) => accessor(scalar, type, layout.scalars.at + i)),
    ...constants.map((constant, i) => accessor(constant, scalarType(constant), layout.constants.at + i)),
  ];
}

/** Namespaces of accessors: one of each kernel, and one of each group with the accessors that all its kernels have. */
function namespaces(specification) {
  const groups = [...new Set(specification.flatMap(({ group }) => group ?? []))];
  const shared = groups.map((group) => {
    const members = specification.filter((kernel) => kernel.group === group).map(accessors);
    return [group, members[0].filter((each) => members.every((other) => other.includes(each)))];
  });
  return [...specification.map((kernel) => [kernel.name, accessors(kernel)]), ...shared];
}

/** build/kernels/calls.ts: how kernels read their calls. */
export function callsSource(specification) {
  const spaces = namespaces(specification).map(
    ([name, lines]) => `export namespace ${namespaceOf(name)} {\n${lines.join('')}}\n`,
  );
  return `${generated}${spaces.join('\n')}`;
}

/** build/kernels/operations.ts: number of chunks of a call, and the computation of one chunk. */
export function operationsSource(specification) {
  const modules = [...new Set(specification.map(({ module }) => module))].sort();
  const chunks = ({ name, module, chunks: expression }) =>
    expression.replace(/\b([A-Za-z_]\w*)\b(\()?/g, (_, word, opens) =>
      opens ? `${module}.${word}(` : `calls.${namespaceOf(name)}.${word}(call)`,
    );
  const cases = (line) => specification.map((kernel, i) => `    case ${i}: ${line(kernel)}\n`).join('');
  return `${generated}${modules.map((module) => `import * as ${module} from '../../kernels-wasm/${module}';\n`).join('')}import * as calls from './calls';

export function chunksOf(call: usize): i32 {
  switch (load<u32>(call)) {
${cases((kernel) => `return <i32>(${chunks(kernel)});`)}    default: return 0;
  }
}

export function runChunk(call: usize, chunk: u32): void {
  switch (load<u32>(call)) {
${cases((kernel) => `${kernel.module}.${functionOf(kernel.name)}(call, chunk); break;`)}    default: unreachable();
  }
}
`;
}

/** Writes a file only if its text differs, so that an unchanged table does not compile the kernels again. */
function write(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

/** Checks the specification and writes both tables to build/kernels/. */
export function writeKernelTables() {
  const problems = kernelProblems(kernels, readSources());
  if (problems.length) throw new Error(problems.join('\n'));
  mkdirSync(join(root, 'build/kernels'), { recursive: true });
  write(join(root, 'build/kernels/calls.ts'), callsSource(kernels));
  write(join(root, 'build/kernels/operations.ts'), operationsSource(kernels));
}

if (process.argv[1] === import.meta.filename) writeKernelTables();
