// The page's code is loaded in stages, each of them one file: what decides what to show, what the first picture needs,
// and the rest. Without this, modules that several parts share become small files of their own, more than a hundred for
// one start. The document names the files of the first picture, so that the browser fetches all of them at once.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './machine.mjs';

/** The module that decides what to show, and the pages among which it chooses. */
const start = 'src/ui/main.ts';
const app = 'src/ui/app/app.ts';
const wholePage = 'src/ui/app/whole-page.ts';
const otherPages = ['src/ui/app/embedded.ts', 'src/ui/classroom/board.ts'];

/** Name of the file for each module of a stage. The modules of the pages themselves are in none, since they act when loaded. */
function stagesOf(context) {
  const reached = (...entries) => {
    const found = new Set();
    const add = (id) => {
      if (found.has(id)) return;
      found.add(id);
      context.getModuleInfo(id)?.importedIds.forEach(add);
    };
    for (const entry of entries) add(join(root, entry));
    return found;
  };
  const shared = reached(...otherPages);
  const stages = new Map();
  for (const id of reached(wholePage)) stages.set(id, shared.has(id) ? 'experiments' : 'whole-page');
  for (const id of reached(app)) stages.set(id, 'first-picture');
  for (const id of reached(start)) stages.set(id, 'start');
  for (const entry of [start, app, wholePage]) stages.delete(join(root, entry));
  return stages;
}

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** Module that draws the world of the recorded episode of a first visit. */
function sampleView() {
  const { turns } = readJson(`public/${readJson('public/samples.json')[0].file}`);
  return `src/worlds/${turns[0].view.kind}/view/element.ts`;
}

/** Files of the first picture: those of its modules and of their imports. */
function filesOfFirstPicture(bundle) {
  const files = new Set();
  const add = (file) => {
    if (files.has(file)) return;
    files.add(file);
    bundle[file].imports.forEach(add);
  };
  const wanted = [app, sampleView()].map((entry) => join(root, entry));
  for (const { type, fileName, facadeModuleId } of Object.values(bundle))
    if (type === 'chunk' && wanted.includes(facadeModuleId)) add(fileName);
  return [...files];
}

export function loadStages() {
  let stages = null;
  const name = (module, context) => {
    stages ??= stagesOf(context);
    return stages.get(module) ?? null;
  };
  return {
    name: 'load-stages',
    // The page alone: other builds with its configuration name their own inputs.
    apply: ({ build }, { command }) =>
      command === 'build' && !build?.lib && !build?.rolldownOptions?.input && !build?.rollupOptions?.input,
    buildStart() {
      stages = null;
    },
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) =>
        filesOfFirstPicture(bundle)
          .filter((file) => !html.includes(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `./${file}` },
            injectTo: 'head',
          })),
    },
    config: () => ({
      build: {
        rolldownOptions: { output: { codeSplitting: { groups: [{ name, includeDependenciesRecursively: false }] } } },
      },
    }),
  };
}
