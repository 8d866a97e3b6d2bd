/** The tables of the modelled kernels and steps, as rows of text and numbers. */
import type { DeviceInfo } from '../../src/device/device.ts';
import { type Compiled, compileFor } from './compile.ts';
import type { NullDriver } from './driver.ts';
import { engineForms, labelOf } from './forms.ts';
import { type IntelCode, type IntelFamily, intelFamilies } from './intel.ts';
import type { Call, Form } from './recording-device.ts';
import { boundBy, type Family, families, sharesOf, turnOf } from './shares.ts';
import { cards, type Speed, type StepTime, stepTime } from './step-model.ts';
import { gpuChoices, type KeptUpdate, recordKept, recordSteps, updateTokens } from './steps.ts';

export const formColumns = [
  ...['kernel', 'registers', 'spilled', 'LDS, bytes', 'waves', 'MAC', 'VALU', 'waits'],
  ...['VALU %', 'issue %', 'LDS %', 'L0 %', 'bound %', 'bound by'],
];

type Cell = string | number | null;

const percent = (share: number) => (share > 9.99 ? null : Math.round(100 * share));

export function formRow({ form, assembly, error }: Compiled, family: Family): Cell[] {
  const label = labelOf(form);
  if (!assembly) return [label, `refused: ${error?.split('\n', 1)[0]}`];
  const { registers, spilled, ldsBytes, waves, lanes } = assembly;
  const turn = turnOf(form, assembly);
  const facts = [label, registers, spilled, ldsBytes, waves];
  if (!turn) return [...facts, null, assembly.whole.valu];
  const shares = sharesOf(turn, lanes, families[family]);
  // More multiply-adds than instructions could issue: the trips of the inner loops were not found.
  if (shares.valu > 1 && turn.fma < turn.mac) return [...facts, turn.mac, null, null];
  const { valu, issue, lds, l0, bound } = shares;
  const parts = [valu, issue, lds, l0, bound].map(percent);
  return [...facts, turn.mac, turn.valu, turn.waits, ...parts, boundBy(shares)];
}

const keyOf = ({ name, constants }: Form) => `${name} ${JSON.stringify(constants)}`;

/** Speeds by form, as `family` runs them. */
function speedsOf(compiled: readonly Compiled[]): (call: Call) => Speed | null {
  const speeds = new Map<string, Speed>();
  for (const { form, assembly, threads } of compiled) {
    const turn = assembly && turnOf(form, assembly);
    if (turn) speeds.set(keyOf(form), { turn, threads, lanes: assembly.lanes });
  }
  return ({ form }) => speeds.get(keyOf(form)) ?? null;
}

/** No kernel has the name that was given. */
export class KernelUnknownError extends Error {
  override name = 'KernelUnknownError';
}

export interface Modelled {
  family: Family;
  compiled: Compiled[];
}

/** Forms of the kernels whose name begins with `prefix`. Throws KernelUnknownError. */
export function beginningWith(forms: readonly Form[], prefix = ''): Form[] {
  const list = forms.filter(({ name }) => name.startsWith(prefix));
  if (!list.length) throw new KernelUnknownError(`No kernel begins with ${prefix}.`);
  return list;
}

/** Which forms are compiled: of kernels whose name begins with `kernel`, of all or only those of the steps. */
interface Wanted {
  kernel?: string;
  onlySteps?: boolean;
  tokens?: number;
}

/** Forms of the engine on such a device. Throws KernelUnknownError. */
async function wantedForms({ kernel, onlySteps = false, tokens }: Wanted, info?: Partial<DeviceInfo>): Promise<Form[]> {
  const forms = new Map(onlySteps ? [] : (await engineForms(info)).map((form) => [keyOf(form), form]));
  for (const { calls } of await recordSteps(undefined, gpuChoices, tokens, info))
    for (const { form } of calls) forms.set(keyOf(form), form);
  return beginningWith([...forms.values()], kernel);
}

/** Compiles forms for each family. Throws KernelUnknownError. */
export async function modelForms(
  driver: NullDriver,
  wanted: readonly Family[],
  which: Wanted = {},
): Promise<Modelled[]> {
  if (!wanted.length) return [];
  const list = await wantedForms(which);
  const modelled: Modelled[] = [];
  for (const family of wanted) modelled.push({ family, compiled: await compileFor(driver, family, list) });
  return modelled;
}

const intelColumns = [
  ...['kernel', 'SIMD', 'spills', 'fills', 'scratch, bytes', 'live', 'LDS, bytes', 'instructions', 'cycles'],
  ...['FMA', 'FMA %', 'LDS, bytes an FMA'],
];

function intelRow({ form, assembly, error }: Compiled<IntelCode>): Cell[] {
  const label = labelOf(form);
  if (!assembly) return [label, `refused: ${error?.split('\n', 1)[0]}`];
  const { lanes, spills, fills, scratchBytes, live, ldsBytes, instructions, cycles, loop } = assembly;
  const facts = [label, lanes, spills, fills, scratchBytes, live, ldsBytes, instructions, cycles];
  if (!loop) return facts;
  const { fma, fmaClocks, clocks, ldsBytes: read } = loop;
  return [...facts, fma, percent(fmaClocks / clocks), (read / fma).toFixed(2)];
}

/** Compiles forms for a GPU of Intel and prints their table. Throws KernelUnknownError. */
export async function printIntel(
  driver: NullDriver,
  family: IntelFamily,
  which: Wanted,
): Promise<Compiled<IntelCode>[]> {
  const forms = await wantedForms(which, { vendor: 'intel', subgroupMinSize: intelFamilies[family].subgroupMinSize });
  const compiled = await compileFor<IntelCode>(driver, family, forms);
  console.log(
    `\n${family}, Mesa ${driver.version}: cycles of a thread as the compiler ESTIMATES them, ten turns a loop;`,
  );
  console.log('of the loop with the most multiply-adds: their number, their MODELLED share of its clocks, LDS read');
  print([intelColumns, ...compiled.map(intelRow)]);
  return compiled;
}

/** Numbers of layers that keep their activations, of the 24 of the modelled model. */
const keptNumbers = [0, 4, 8, 12, 16, 20, 23] as const;

/** Times of an update by the number of layers that keep their activations. */
interface KeptTime extends Omit<KeptUpdate, 'calls' | 'name'> {
  /** The time on each card. */
  times: StepTime[];
}

/**
 * Time of an update of `tokens` tokens with more and more kept layers, with the forms as RDNA3 (phoenix or navi33)
 * compiles them.
 */
export async function modelKept(modelled: readonly Modelled[], tokens = updateTokens): Promise<KeptTime[]> {
  const rdna3 = modelled.find(({ family }) => families[family] === 11);
  if (!rdna3) return [];
  const speedOf = speedsOf(rdna3.compiled);
  const list: KeptTime[] = [];
  for (const kept of keptNumbers) {
    const { keptBytes, bytes, ...step } = await recordKept(kept, tokens);
    list.push({ kept, keptBytes, bytes, times: cards.map((card) => stepTime(step, card, speedOf)) });
  }
  return list;
}

/** Prints the update by kept layers. `floor`: that of the update which keeps none. */
export function printKept([none, ...others]: readonly KeptTime[]): void {
  if (!none) return;
  console.log(
    '\nupdate by layers that keep their activations; MODELLED ms (times the floor without any, times its own)',
  );
  const cells = ({ times }: KeptTime) =>
    times.flatMap(({ ms, floorMs }, i) => {
      const ratios = [none.times[i].floorMs, floorMs].map((floor) => (ms / floor).toFixed(2));
      return [`${ms.toFixed(0)} (${ratios.join(', ')})`];
    });
  const mib = (bytes: number) => Math.ceil(bytes / 2 ** 20);
  print([
    ['layers', 'kept, MiB', 'all, MiB', 'dispatches', ...none.times.map(({ card }) => card)],
    ...[none, ...others].map((each) => {
      const { kept, keptBytes, bytes, times } = each;
      return [kept, mib(keptBytes), mib(bytes), times[0].dispatches, ...cells(each)];
    }),
  ]);
}

/** Time of the steps on each card, with the forms as RDNA3 (phoenix or navi33) compiles them. */
export async function modelSteps(modelled: readonly Modelled[], tokens?: number): Promise<StepTime[]> {
  const rdna3 = modelled.find(({ family }) => families[family] === 11);
  if (!rdna3) return [];
  const speedOf = speedsOf(rdna3.compiled);
  const steps = await recordSteps(undefined, gpuChoices, tokens);
  return cards.flatMap((card) => steps.map((step) => stepTime(step, card, speedOf)));
}

function print(rows: readonly (readonly Cell[])[]): void {
  const text = rows.map((row) => row.map((cell) => String(cell ?? '')));
  const widths = text[0].map((_, i) => Math.max(...text.map((row) => (row.length > 2 ? (row[i] ?? '').length : 0))));
  for (const row of text)
    console.log(row.map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join(' '));
}

/** Prints the table of a family. */
export function printForms({ family, compiled }: Modelled, { version }: NullDriver): void {
  console.log(`\n${family}, Mesa ${version}: MODELLED shares of the peak of f32 multiply-adds`);
  print([formColumns, ...compiled.map((each) => formRow(each, family))]);
}

/** Prints a step with its twelve longest kernels, and what exceeds its operations at the peak the most. */
export function printStep({ step, card, dispatches, gflop, gigabytes, floorMs, ms, kernels, excess }: StepTime): void {
  const times = `MODELLED ${ms.toFixed(1)} ms, floor ${floorMs.toFixed(1)} ms (${(ms / floorMs).toFixed(2)} times)`;
  console.log(
    `\n${step} on a ${card}: ${times}; ${dispatches} dispatches, ${gflop.toFixed(1)} GFLOP, ${gigabytes.toFixed(2)} GB`,
  );
  for (const kernel of kernels.slice(0, 12)) {
    const bytes = kernel.megabytes === null ? 'bytes not modelled' : `${kernel.megabytes.toFixed(0)} MB`;
    console.log(
      `  ${kernel.name}: ${kernel.calls} calls, ${kernel.gflop.toFixed(2)} GFLOP, ${bytes}, ${kernel.ms.toFixed(2)} ms`,
    );
  }
  console.log('  most above the operations at the peak:');
  for (const { kernel, sizes, calls, bound, aboveMs, ms } of excess)
    console.log(
      `  ${kernel} (${sizes}): ${calls} calls, ${aboveMs.toFixed(1)} of ${ms.toFixed(1)} ms, bound by ${bound}`,
    );
}
