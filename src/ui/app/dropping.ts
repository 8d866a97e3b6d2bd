/**
 * Files that a person dropped anywhere on the page, or chose: runs, policies and adapters are imported, a language model goes
 * to its picker, and what is none of these is named. Decides by names; reads nothing of a file.
 */
import { msg, str } from '@lit/localize';
import type { PickedFile } from '../../models/protocol.ts';
import { droppedFiles, type PickedFiles } from '../panels/model-files.ts';
import type { Notice, Store } from '../state/state.ts';

export interface Sorted {
  /** Of a language model. */
  model: PickedFiles | null;
  /** Runs, policies and adapters, each a file. */
  imports: File[];
  /** An experiment, as JSON. */
  experiment: File | null;
  /** What cannot be used, in a sentence. */
  problem: string;
}

const isWeights = ({ name }: PickedFile) => /\.(gguf|safetensors|onnx)$/i.test(name);
/** Also what has no ending: a download may have lost it. */
const isImport = ({ name }: PickedFile) => /\.(tabgym|zip)$/i.test(name) || !name.includes('.');
/** A model's own JSON files come in a folder with its weights. */
const isExperiment = (file: PickedFile) => /\.json$/i.test(file.name) && !isAdapter(file);
const isAdapter = ({ name }: PickedFile) => /^adapter_(model\.safetensors|config\.json)$/.test(name);

const wanted = () =>
  msg(
    'A run is a .tabgym file, an experiment a .json file, a policy or an adapter a .zip; a language model is a folder with config.json, tokenizer.json and model.safetensors, or a .gguf file; for ONNX a folder with config.json, tokenizer.json and the .onnx file, also in its sub-folder onnx.',
  );

function problemOf({ label, files }: PickedFiles, rest: readonly PickedFile[]): string {
  if (!files.length) return msg('No file was in what was dropped: texts, links and empty folders cannot be used.');
  if (rest.some(isAdapter))
    return msg(
      str`“${label}” is an adapter. Pack adapter_config.json and adapter_model.safetensors into one .zip, and import that.`,
    );
  if (!rest.length) return '';
  const names =
    rest.length > 3 ? msg(str`${rest.length} files of “${label}”`) : rest.map(({ name }) => `“${name}”`).join(', ');
  return `${msg(str`Nothing here can use ${names}.`)} ${wanted()}`;
}

/** What each of the files is for. */
export function sortFiles(picked: PickedFiles): Sorted {
  const { files } = picked;
  const adapter = files.some(isAdapter) && !files.some((file) => isWeights(file) && !isAdapter(file));
  if (files.some(isWeights) && !adapter) return { model: picked, imports: [], experiment: null, problem: '' };
  const experiment = files.length === 1 && isExperiment(files[0]) ? files[0].file : null;
  const rest = experiment ? [] : files.filter((file) => !isImport(file));
  const imports = files.filter(isImport).map(({ file }) => file);
  return { model: null, imports, experiment, problem: problemOf(picked, rest) };
}

interface Page {
  store: Store;
  said: { notify(level: Notice['level'], message: string): void };
  layout: { showPanel(panel: 'setup'): void };
  library: { importFile(file: File): Promise<void> };
  sharing: { openExperiment(file: File): Promise<void> };
}

export class Dropping {
  constructor(private readonly page: Page) {}

  async drop(transfer: DataTransfer | null) {
    if (!transfer) return;
    try {
      await this.take(await droppedFiles(transfer));
    } catch (error) {
      const { message } = error as Error;
      this.page.said.notify(
        'error',
        msg(str`What was dropped cannot be read (${message}). Choose it with a button instead.`),
      );
    }
  }

  async take(picked: PickedFiles) {
    const { model, imports, experiment, problem } = sortFiles(picked);
    if (experiment) await this.page.sharing.openExperiment(experiment);
    if (model) this.offer(model);
    for (const file of imports) await this.page.library.importFile(file);
    if (problem) this.page.said.notify('warning', problem);
  }

  /** The picker opens and takes it. */
  private offer(offered: PickedFiles) {
    const { step } = this.page.store.state.model;
    if (step === 'finding' || step === 'downloading')
      return this.page.said.notify('warning', msg('Another language model is on its way. Stop it first.'));
    this.page.store.set({ offered });
    this.page.layout.showPanel('setup');
  }
}
