// Finds the browsers and drivers of this machine: a Chromium, a Firefox, a Vulkan driver for Dawn. All code that needs
// one uses this file, so that a missing one is explained in one place. Only in CI as root does it install anything.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Nearest folder upwards with a `package.json`. */
const packageOf = (folder) => (existsSync(join(folder, 'package.json')) ? folder : packageOf(dirname(folder)));

/** Root of the repository, both from here and from a built tool. */
export const root = packageOf(import.meta.dirname);

/**
 * Chromium 156 preloads the two popups of its address bar for each window, and in headless mode each context has a
 * window; that is a third of the cost of a test's page. Chromium uses only the last --disable-features, so Playwright
 * 1.65's list is repeated here.
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

/** Chromium's switches for tests: a software WebGPU adapter, no sandbox, no background requests. */
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

/** The same switches without WebGPU. */
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

/** Path of the browser that `npx playwright-core install chromium` installs into the home folder, or null. */
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

/** Vulkan driver file (ICD) of Mesa's lavapipe, or null. */
export const findMesaDriver = () =>
  ['lvp_icd.json', 'lvp_icd.x86_64.json', 'lvp_icd.aarch64.json']
    .map((name) => `/usr/share/vulkan/icd.d/${name}`)
    .find((place) => existsSync(place)) ?? null;

/**
 * Vulkan driver file of the SwiftShader that comes with a Chromium-family browser, or null. It is available without
 * further installation.
 */
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

/** Vulkan driver files of the software adapters on this machine, best first. */
export const findSoftwareDrivers = () => [findMesaDriver(), findBrowserDriver()].filter((place) => place !== null);

/** True if the operating system has a Vulkan driver for real hardware (a render node). */
export const hasRenderNode = () =>
  existsSync('/dev/dri') && readdirSync('/dev/dri').some((name) => name.startsWith('renderD'));

/** On Linux, Dawn needs the system's Vulkan loader; elsewhere it does not. */
const hasVulkanLoader = () => process.platform !== 'linux' || vulkanLoaders.some((path) => existsSync(path));

const isDebian = () => existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));

/** Names of everything that the tests need and this machine lacks. */
export function findMissing() {
  const missing = [];
  if (!findChromium()) missing.push('a Chromium-family browser');
  if (!hasVulkanLoader()) missing.push('the Vulkan loader (libvulkan.so.1)');
  return missing;
}

/** Command that installs the missing parts on this platform. */
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
  // Ubuntu's chromium package only installs from the snap store, which does not work in a container.
  if (!findChromium())
    execFileSync(process.execPath, ['node_modules/playwright-core/cli.js', 'install', '--with-deps', 'chromium'], {
      ...options,
      cwd: root,
    });
}

/** Installs missing parts in CI as root on Linux; elsewhere prints the command to install them and exits. */
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
  if (!findChromium()) console.error('Or name a browser in another place: TABGYM_CHROMIUM=/path/to/chrome');
  process.exit(1);
}
