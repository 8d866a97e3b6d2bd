// What this machine has: a Chromium, a Firefox, a Vulkan driver for Dawn. Everything that needs one asks here, so that a
// missing one is explained once, in one sentence. Only as root in CI is anything installed.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Chromium's switches for tests: a software WebGPU adapter, no sandbox, no look-ups of its own. */
export const chromiumArgs = [
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--no-first-run',
];

const chromiumPlaces = [
  process.env.TABGYM_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  `${process.env.PROGRAMFILES ?? 'C:/Program Files'}/Google/Chrome/Application/chrome.exe`,
  `${process.env['PROGRAMFILES(X86)'] ?? 'C:/Program Files (x86)'}/Google/Chrome/Application/chrome.exe`,
  `${process.env['PROGRAMFILES(X86)'] ?? 'C:/Program Files (x86)'}/Microsoft/Edge/Application/msedge.exe`,
];
const firefoxPlaces = [process.env.TABGYM_FIREFOX, '/usr/bin/firefox-esr'];
const softwareDrivers = [
  '/usr/share/vulkan/icd.d/lvp_icd.json',
  '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json',
  '/usr/share/vulkan/icd.d/lvp_icd.aarch64.json',
  '/usr/lib/chromium/vk_swiftshader_icd.json',
  '/usr/lib64/chromium-browser/vk_swiftshader_icd.json',
  '/opt/google/chrome/vk_swiftshader_icd.json',
];

/** Path of a Chromium-family browser, or null. */
export const findChromium = () => chromiumPlaces.find((place) => place && existsSync(place)) ?? null;

/** Path of a Firefox that puppeteer can drive, or null. */
export const findFirefox = () => firefoxPlaces.find((place) => place && existsSync(place)) ?? null;

/** Vulkan driver files (ICDs) of software adapters on this machine, the better first. */
export const findSoftwareDrivers = () => softwareDrivers.filter((place) => existsSync(place));

/** The sentence that tells a person what to install, for this platform. */
export function installAdvice() {
  if (process.platform === 'linux')
    return 'sudo apt-get install chromium libvulkan1   (on Ubuntu: Google Chrome, and apt-get install libvulkan1)';
  return 'install Google Chrome from its site; Node uses the Metal or Direct3D driver this system already has';
}

/** As root in CI on Debian: install what is missing. Elsewhere: say what to install and stop. */
export function requireBrowser() {
  if (findChromium()) return;
  if (process.env.CI && process.platform === 'linux' && process.getuid?.() === 0) {
    console.log('CI: installing chromium and the Vulkan loader');
    const apt = (...args) => execFileSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
    apt('update', '-qq');
    apt('install', '-y', '-qq', 'chromium', 'libvulkan1');
    if (findChromium()) return;
  }
  console.error(`No Chromium was found. Please run: ${installAdvice()}\nOr name one: TABGYM_CHROMIUM=/path/to/chrome`);
  process.exit(1);
}

/** True where the operating system knows a Vulkan driver of real hardware (a render node). */
export const hasRenderNode = () => existsSync('/dev/dri') && readdirSync('/dev/dri').some((name) => name.startsWith('renderD'));

/** The repository's root. */
export const root = join(import.meta.dirname, '..');
