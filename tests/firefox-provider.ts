/**
 * Vitest's browser mode in the system's Firefox. Playwright's own Firefox is patched and old, and under WebDriver BiDi
 * workers stall (tests/page/firefox.test.ts). So this provider only opens the browser at Vitest's address, and the
 * tests in it cannot drive the page.
 */
import { defineBrowserProvider } from '@vitest/browser';
import { findSoftwareDrivers } from '../scripts/machine.mjs';
import { openFirefox, withWebGpu } from '../tools/firefox.ts';

export const firefox = () =>
  defineBrowserProvider({
    name: 'firefox',
    supportedBrowser: ['firefox'],
    options: {},
    providerFactory: () => {
      const closing: (() => Promise<void>)[] = [];
      return {
        name: 'firefox',
        supportsParallelism: false,
        getCommandsContext: () => ({}),
        openPage: async (_session: string, url: string) => {
          const [driver] = findSoftwareDrivers();
          closing.push(openFirefox(url, withWebGpu, driver));
        },
        close: async () => {
          await Promise.all(closing.splice(0).map((close) => close()));
        },
      };
    },
  });
