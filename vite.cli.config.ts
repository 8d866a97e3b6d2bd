// The command line tools: every file of src/cli named in `entries` becomes build/cli/NAME.js, run by scripts/run.mjs.
// world-worker is the file a Node worker thread starts from.
import { existsSync } from 'node:fs';
import { defineConfig } from 'vite';
import { frameScript } from './scripts/frame-script.mjs';

/** Every tool by its name. */
export const commandEntries = {
  train: 'src/cli/train.ts',
  eval: 'src/cli/eval.ts',
  grade: 'src/cli/grade.ts',
  objectives: 'src/cli/objectives.ts',
  scorm: 'src/cli/scorm.ts',
  study: 'src/cli/study.ts',
  agents: 'src/cli/agents.ts',
  sweep: 'src/cli/sweep.ts',
  'propose-rewards': 'src/cli/propose-rewards.ts',
  reproduce: 'src/cli/reproduce.ts',
  corpus: 'src/cli/corpus.ts',
  replay: 'tools/replay/main.ts',
  'fuzz-babyai': 'tools/fuzz/babyai.ts',
  golden: 'tools/golden/main.ts',
  'quant-report': 'tools/quantisation/main.ts',
  'compare-runs': 'tools/compare-runs/main.ts',
  large: 'tools/large/main.ts',
  isa: 'tools/isa/main.ts',
  serve: 'src/cli/serve.ts',
  proxy: 'proxies/main.ts',
  export: 'src/cli/export.ts',
  handoff: 'src/cli/handoff.ts',
  bench: 'bench/main.ts',
  'soak-page': 'bench/page-soak.ts',
  soak: 'bench/soak/main.ts',
  'soak-reader': 'bench/reader-soak.ts',
  learn: 'tools/learn/main.ts',
  'test-agents': 'tools/agents/main.ts',
  'test-agents-page': 'bench/page-agents.ts',
  'own-worlds-page': 'bench/page-own-worlds.ts',
  'first-minute': 'tools/learn/first-minute.ts',
  algorithms: 'tools/learn/algorithms.ts',
  ablation: 'tools/learn/ablation.ts',
  'reward-hacks': 'tools/learn/reward-hacks.ts',
  'own-worlds': 'tools/learn/own-worlds.ts',
  'interop-handoff': 'tools/interop/handoff/main.ts',
  'interop-clients': 'tools/interop/clients/main.ts',
  'interop-text': 'tools/interop/text/main.ts',
  'interop-tools': 'tools/interop/tools/main.ts',
  'interop-load': 'tools/interop/load/main.ts',
  'interop-formats': 'tools/interop/formats/main.ts',
  'real-model': 'tools/interop/real-model/main.ts',
  imitate: 'src/cli/imitate.ts',
  'learn-lora': 'tools/learn/lora.ts',
  crash: 'tests/crash/main.ts',
  'fuzz-small': 'tools/fuzz/small.ts',
  household: 'tools/household/main.ts',
  'fuzz-sciworld': 'tools/fuzz/sciworld.ts',
  'fuzz-search': 'tools/fuzz/search.ts',
  'fuzz-web': 'tools/fuzz/web.ts',
  'fuzz-tools': 'tools/fuzz/tools.ts',
  'fuzz-sql': 'tools/fuzz/sql.ts',
  'fuzz-phone': 'tools/fuzz/phone.ts',
  'fuzz-survey': 'tools/fuzz/search-survey.ts',
  'phone-steps': 'tools/phone/steps.ts',
  'fuzz-shop': 'tools/fuzz/shop.ts',
  'shop-reference': 'tools/shop-reference/main.ts',
  'fuzz-trajectories': 'tools/fuzz/trajectories.ts',
  'fuzz-policies': 'tools/fuzz/policies.ts',
  'fuzz-worlds': 'tools/fuzz/worlds.ts',
  harden: 'tools/hardening/main.ts',
  'fuzz-bundles': 'tools/fuzz/bundles.ts',
  classroom: 'tools/classroom/main.ts',
  'test-corpus': 'tools/corpus/main.ts',
  'make-model': 'src/cli/make-model.ts',
  plan: 'src/cli/plan.ts',
  'check-world': 'src/cli/check-world.ts',
  'export-world': 'src/cli/export-world.ts',
  'world-server': 'src/cli/world-server.ts',
  report: 'src/cli/run-report.ts',
  'world-worker': 'src/workers/world-worker.ts',
  'sandbox-worker': 'src/workers/sandbox-worker.ts',
};

// A tool that is not written yet does not stop the others.
const entries = Object.fromEntries(
  Object.entries(commandEntries).filter(([, file]) => existsSync(new URL(file, import.meta.url))),
);

/** Packages that the tools load at run time: they find files of their own, or are large and used by few tools. */
export const nodeExternals = [
  'fastify',
  '@fastify/http-proxy',
  '@opensearch-project/opensearch',
  'ws',
  'webgpu',
  'playwright-core',
  'vite',
  'onnxruntime-web',
  '@sqlite.org/sqlite-wasm',
  'node-sqlite3-wasm',
  '@jitl/quickjs-wasmfile-release-sync',
];

export default defineConfig({
  publicDir: false,
  plugins: [frameScript({ empty: true })],
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'build/cli',
    // A tool that is running may still load its chunks from here.
    emptyOutDir: false,
    minify: false,
    rollupOptions: { input: entries, output: { entryFileNames: '[name].js' } },
  },
  ssr: {
    noExternal: true,
    external: nodeExternals,
  },
});
