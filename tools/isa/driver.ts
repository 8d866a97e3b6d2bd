/**
 * Mesa's RADV with a device without hardware behind `nullicd.c`, or its ANV on the kernel interface of `nullintel.c`: finds
 * the drivers, compiles the shims into a temporary folder, and gives the environment in which Dawn finds them. A missing
 * part is an error that names what to install.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/machine.mjs';
import { type IntelFamily, intelFamilies, isIntel } from './intel.ts';
import type { Family } from './shares.ts';

const leastVersion = 25;
const places = ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib'];
const advice = `On Debian 12 add "deb ADDRESS bookworm-backports main" to /etc/apt/sources.list.d, with the address of your bookworm, then: sudo apt-get update && sudo apt-get install -t bookworm-backports mesa-vulkan-drivers && sudo apt-get install gcc libvulkan-dev. Or unpack mesa-vulkan-drivers, libdrm2 and libdrm-amdgpu1 and name the folder of libvulkan_radeon.so: TABGYM_MESA=FOLDER. For Intel also install libdrm-dev, or unpack it there, too`;

/** The driver or the compiler of its shim is missing. */
export class DriverMissingError extends Error {
  override name = 'DriverMissingError';
  constructor(what: string) {
    super(`${what} ${advice}.`);
  }
}

export interface NullDriver {
  folder: string;
  mesa: string;
  version: string;
}

/** Version of the driver in a folder, or null. */
function versionIn(folder: string): string | null {
  const file = join(folder, 'libvulkan_radeon.so');
  if (!existsSync(file)) return null;
  return readFileSync(file, 'latin1').match(/Mesa (\d+\.\d+\.\d+)/)?.[1] ?? null;
}

/** Folder and version of a driver that is new enough. */
function findMesa(): { mesa: string; version: string } {
  const named = process.env.TABGYM_MESA;
  const found = (named ? [named] : places).flatMap((mesa) => {
    const version = versionIn(mesa);
    return version ? [{ mesa, version }] : [];
  });
  const usable = found.find(({ version }) => Number.parseInt(version, 10) >= leastVersion);
  if (usable) return usable;
  if (named && !found.length)
    throw new DriverMissingError(`TABGYM_MESA is ${named}, where there is no libvulkan_radeon.so of Mesa.`);
  const old = found.map(({ mesa, version }) => ` ${mesa} has ${version}.`).join('');
  throw new DriverMissingError(`Mesa's RADV ${leastVersion} or later was not found.${old}`);
}

/** Compiles a shim into a file. */
function compileShim(name: string, shim: string, headers: readonly string[] = []): void {
  try {
    const source = join(root, 'tools/isa', name);
    const included = headers.map((header) => `-I${header}`);
    execFileSync('cc', ['-O1', '-shared', '-fPIC', ...included, '-o', shim, source, '-ldl'], { stdio: 'pipe' });
  } catch (error) {
    throw new DriverMissingError(`The shim ${name} did not compile (${String(error).split('\n', 2).join(' ')}).`);
  }
}

/** Compiles the driver's shim into a folder, beside the manifest that names it. */
function buildShim(folder: string): void {
  const shim = join(folder, 'libnullicd.so');
  compileShim('nullicd.c', shim);
  const manifest = { ICD: { api_version: '1.4.305', library_path: shim }, file_format_version: '1.0.0' };
  writeFileSync(join(folder, 'nullicd.json'), JSON.stringify(manifest));
}

/** Runs `work` with the driver, and removes the temporary folder afterwards. Throws DriverMissingError. */
export async function withDriver<T>(work: (driver: NullDriver) => Promise<T>): Promise<T> {
  const usable = findMesa();
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-isa-'));
  try {
    buildShim(folder);
    return await work({ folder, ...usable });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Names the driver of a family to the shim. For Intel it compiles the kernel's interface first, once. */
function deviceOf({ folder, mesa }: NullDriver, family: Family | IntelFamily): NodeJS.ProcessEnv {
  if (!isIntel(family)) return { ISA_ICD: join(mesa, 'libvulkan_radeon.so'), RADV_FORCE_FAMILY: family };
  const icd = join(mesa, 'libvulkan_intel.so');
  if (!existsSync(icd)) throw new DriverMissingError(`${mesa} has no libvulkan_intel.so.`);
  const stub = join(folder, 'libnullintel.so');
  if (!existsSync(stub)) {
    const places = [join(mesa, '../../include'), '/usr/include'];
    compileShim('nullintel.c', stub, [...places, ...places.map((place) => join(place, 'libdrm'))]);
  }
  const { pci, cores, units } = intelFamilies[family];
  return { ISA_ICD: icd, ISA_INTEL: `${pci} ${cores} ${units}`, LD_PRELOAD: stub };
}

/** Environment of a process whose Vulkan device is a GPU of `family`. It writes pipelines to the folder `out`. */
export function environmentOf(driver: NullDriver, family: Family | IntelFamily, out: string): NodeJS.ProcessEnv {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const { folder, mesa } = driver;
  return {
    ...process.env,
    ...deviceOf(driver, family),
    LD_LIBRARY_PATH: [mesa, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
    VK_DRIVER_FILES: join(folder, 'nullicd.json'),
    ISA_OUT: out,
    MESA_SHADER_CACHE_DISABLE: 'true',
    TABGYM_ADAPTER: '',
  };
}
