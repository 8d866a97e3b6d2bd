// Makes the built page installable and usable offline: its manifest, and the service worker with the list of its files.
import { VitePWA } from 'vite-plugin-pwa';

/**
 * The service worker, with the list of the page's files. It lies at the root under a fixed name, because its address is
 * its identity. The ONNX runtime's WASM (27 and 14 MB) is not in the list; it is cached after its first use.
 */
export const installable = () =>
  VitePWA({
    strategies: 'injectManifest',
    srcDir: 'src/workers',
    filename: 'service-worker.ts',
    injectRegister: false,
    injectManifest: {
      rollupFormat: 'iife',
      globPatterns: ['**/*.{html,js,mjs,css,wasm,bin,json,zip,svg,png}'],
      globIgnores: ['**/ort-*.wasm', 'service-worker.js'],
      maximumFileSizeToCacheInBytes: 4_000_000,
    },
    manifest: {
      name: 'Tabgym',
      short_name: 'Tabgym',
      description:
        'A small language-model agent learns by reinforcement learning, over many turns, entirely in the browser.',
      start_url: './',
      scope: './',
      display: 'standalone',
      background_color: '#f4f4f1',
      theme_color: '#1757c2',
      icons: [
        { src: 'icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
        { src: 'icon-192.png', sizes: '192x192', type: 'image/png' },
        { src: 'icon-512.png', sizes: '512x512', type: 'image/png' },
        { src: 'icon-maskable.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
      ],
    },
  });
