// What this machine has: a Chromium, a Firefox, a Vulkan driver for Dawn. Everything that needs one asks here, so that a
// missing one is explained once, in one sentence. Only as root in CI is anything installed.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The nearest folder above with a `package.json`. */
const packageOf = (folder) => (existsSync(join(folder, 'package.json')) ? folder : packageOf(dirname(folder)));

/** The repository's root, from here and from a built tool alike. */
export const root = packageOf(import.meta.dirname);

/**
 * Chromium 156 loads the two popups of its address bar ahead for each window, and headless each context has a window: a third of what a test's page
 * costs. Chromium reads the last list alone, so what Playwright 1.65 turns off stands here as well.
 */
const disabledFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

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
  `--disable-features=${disabledFeatures}`,
];

/** The same without WebGPU. */
export const chromiumArgsWithoutWebGpu = [
  ...chromiumArgs.filter((arg) => !/webgpu|disable-features/.test(arg)),
  `--disable-features=${[...disabledFeatures, 'WebGPU']}`,
];

const programFiles = process.env.PROGRAMFILES ?? 'C:/Program Files';
const programFiles86 = process.env['PROGRAMFILES(X86)'] ?? 'C:/Program Files (x86)';
const chromiumPlaces = [
  process.env.TABGYM_CHROMIUM,
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  `${programFiles}/Google/Chrome/Application/chrome.exe`,
  `${programFiles86}/Google/Chrome/Application/chrome.exe`,
  `${process.env.LOCALAPPDATA ?? programFiles}/Google/Chrome/Application/chrome.exe`,
  `${programFiles86}/Microsoft/Edge/Application/msedge.exe`,
];
const firefoxPlaces = [
  process.env.TABGYM_FIREFOX,
  '/usr/bin/firefox-esr',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  `${programFiles}/Mozilla Firefox/firefox.exe`,
];
const vulkanLoaders = [
  '/usr/lib/x86_64-linux-gnu/libvulkan.so.1',
  '/usr/lib/aarch64-linux-gnu/libvulkan.so.1',
  '/usr/lib64/libvulkan.so.1',
  '/usr/lib/libvulkan.so.1',
];

/** The browser that `npx playwright-core install chromium` puts into the home folder, if it is there. */
function playwrightChromium() {
  try {
    const path = createRequire(import.meta.url)('playwright-core').chromium.executablePath();
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

/** Path of a Chromium-family browser, or null. */
export const findChromium = () => chromiumPlaces.find((place) => place && existsSync(place)) ?? playwrightChromium();

/** Path of a Firefox, or null. */
export const findFirefox = () => firefoxPlaces.find((place) => place && existsSync(place)) ?? null;

/** Mesa's lavapipe as a Vulkan driver file (ICD), or null. */
export const findMesaDriver = () =>
  ['lvp_icd.json', 'lvp_icd.x86_64.json', 'lvp_icd.aarch64.json']
    .map((name) => `/usr/share/vulkan/icd.d/${name}`)
    .find((place) => existsSync(place)) ?? null;

/** SwiftShader as it comes with a Chromium-family browser, or null: the adapter of a machine on which nothing else was installed. */
export function findBrowserDriver() {
  const chromium = findChromium();
  const places = [
    '/usr/lib/chromium/vk_swiftshader_icd.json',
    '/usr/lib64/chromium-browser/vk_swiftshader_icd.json',
    '/opt/google/chrome/vk_swiftshader_icd.json',
    ...(chromium ? [join(dirname(chromium), 'vk_swiftshader_icd.json')] : []),
  ];
  return places.find((place) => existsSync(place)) ?? null;
}

/** Vulkan driver files of software adapters on this machine, the better first. */
export const findSoftwareDrivers = () => [findMesaDriver(), findBrowserDriver()].filter((place) => place !== null);

/** True where the operating system knows a Vulkan driver of real hardware (a render node). */
export const hasRenderNode = () =>
  existsSync('/dev/dri') && readdirSync('/dev/dri').some((name) => name.startsWith('renderD'));

/** Dawn on Linux loads the system's Vulkan loader; elsewhere it needs none. */
const hasVulkanLoader = () => process.platform !== 'linux' || vulkanLoaders.some((path) => existsSync(path));

const isDebian = () => existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));

/** What is missing on this machine for the tests, in words; empty where nothing is. */
export function findMissing() {
  const missing = [];
  if (!findChromium()) missing.push('a Chromium-family browser');
  if (!hasVulkanLoader()) missing.push('the Vulkan loader (libvulkan.so.1)');
  return missing;
}

/** The command that tells a person what to install, for this platform. */
export function installAdvice() {
  if (process.platform !== 'linux') return 'npx playwright-core install chromium   (or install Google Chrome)';
  if (isDebian()) return 'sudo apt-get install chromium libvulkan1';
  return "sudo npx playwright-core install --with-deps chromium && sudo apt-get install libvulkan1   (or your system's packages of Chrome and the Vulkan loader)";
}

function installInCi() {
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  const apt = (...args) => execFileSync('apt-get', args, options);
  console.log(`CI: installing ${findMissing().join(' and ')}`);
  apt('update', '-qq');
  apt('install', '-y', '-qq', '--no-install-recommends', 'libvulkan1', ...(isDebian() ? ['chromium'] : []));
  // Ubuntu's chromium package is only a door to the snap store, which does not run in a container.
  if (!findChromium())
    execFileSync(process.execPath, ['node_modules/playwright-core/cli.js', 'install', '--with-deps', 'chromium'], {
      ...options,
      cwd: root,
    });
}

/** As root in CI on Linux: install what is missing. Elsewhere: say what to install and stop. */
export function requireBrowser() {
  if (!findMissing().length) return;
  if (process.env.CI && process.platform === 'linux' && process.getuid?.() === 0) {
    try {
      installInCi();
    } catch (error) {
      console.error(`CI: the installation failed: ${error.message}`);
    }
  }
  const missing = findMissing();
  if (!missing.length) return;
  console.error(`Not found: ${missing.join(' and ')}. Please run: ${installAdvice()}`);
  if (!findChromium()) console.error('Or name a browser that is elsewhere: TABGYM_CHROMIUM=/path/to/chrome');
  process.exit(1);
}
