/**
 * Files that a person dropped anywhere on the page, or chose. Runs, policies and adapters are imported, a language
 * model goes to its picker, and any other file is named in a warning. Decides by the files' names.
 */
import { msg, str } from '@lit/localize';
import type { PickedFile } from '../../models/protocol.ts';
import { fileCount } from '../kit/counts.ts';
import { droppedFiles, type PickedFiles } from '../state/picked-files.ts';
import type { Notice, Store } from '../state/state.ts';

export interface SortedFiles {
  /** Files of a language model. */
  model: PickedFiles | null;
  /** Runs, policies and adapters, one file each. */
  imports: File[];
  /** File to open in the reader; one at a time. */
  trajectories: File | null;
  /** Sentence about the files that cannot be used. */
  problem: string;
}

const isWeights = ({ name }: PickedFile) => /\.(gguf|safetensors|onnx)$/i.test(name);
/** Also accepts a name without an extension, because a download may have removed it. */
const isImport = ({ name }: PickedFile) => /\.(tabgym|zip)$/i.test(name) || !name.includes('.');
/** Part of a language model's folder, as opposed to trajectories. */
const isModelPart = ({ name }: PickedFile) =>
  /^((adapter_|generation_|preprocessor_)?config|tokenizer(_config)?|special_tokens_map|added_tokens|vocab)\.json$|\.index\.json$/.test(
    name,
  );
const isTrajectories = (file: PickedFile) =>
  /\.(jsonl|ndjson|json)(\.gz)?$|\.gz$/i.test(file.name) && !isModelPart(file);
const isAdapter = ({ name }: PickedFile) => /^adapter_(model\.safetensors|config\.json)$/.test(name);

const wanted = () =>
  msg(
    'A run is a .tabgym file, an experiment a .json file, a policy or an adapter a .zip; trajectories are one .json or .jsonl file, also as .gz; a language model is a folder with config.json, tokenizer.json and model.safetensors, or a .gguf file; for ONNX a folder with config.json, tokenizer.json and the .onnx file, also in its sub-folder onnx.',
  );

function problemOf({ label, files }: PickedFiles, rest: readonly PickedFile[]): string {
  if (!files.length) return msg('Nothing usable was dropped: texts, links and empty folders cannot be opened.');
  if (rest.some(isAdapter))
    return msg(
      str`“${label}” is an adapter. Pack adapter_config.json and adapter_model.safetensors into one .zip, and import that.`,
    );
  if (!rest.length) return '';
  const names =
    rest.length > 3
      ? msg(str`${fileCount(rest.length)} of “${label}”`)
      : rest.map(({ name }) => `“${name}”`).join(', ');
  return `${msg(str`${names} cannot be opened.`)} ${wanted()}`;
}

/** Sorts files by their use. */
export function sortFiles(picked: PickedFiles): SortedFiles {
  const { files } = picked;
  const adapter = files.some(isAdapter) && !files.some((file) => isWeights(file) && !isAdapter(file));
  if (files.some(isWeights) && !adapter) return { model: picked, imports: [], trajectories: null, problem: '' };
  const read = adapter ? undefined : files.find(isTrajectories);
  const rest = files.filter((file) => !isImport(file) && file !== read);
  const imports = files.filter(isImport).map(({ file }) => file);
  return { model: null, imports, trajectories: read?.file ?? null, problem: problemOf(picked, rest) };
}

/** An experiment and trajectories may both be a .json file. An experiment is short and contains its format's name. */
const isExperiment = async (file: File): Promise<boolean> =>
  /\.json$/i.test(file.name) && file.size <= 1e6 && (await file.text()).includes('"tabgym-experiment-');

interface Page {
  store: Store;
  notifier: { notify(level: Notice['level'], message: string): void };
  layout: { showPanel(panel: 'setup' | 'stage'): void };
  navigation: { select(place: { tab: 'read' }): void };
  library: { importFile(file: File): Promise<void> };
  links: { openExperiment(file: File): Promise<void> };
}

export class FileDrop {
  constructor(private readonly page: Page) {}

  async drop(transfer: DataTransfer | null) {
    if (!transfer) return;
    try {
      await this.take(await droppedFiles(transfer));
    } catch (error) {
      const { message } = error as Error;
      this.page.notifier.notify(
        'error',
        msg(str`The dropped files cannot be read (${message}). Choose them with a button instead.`),
      );
    }
  }

  async take(picked: PickedFiles) {
    const { model, imports, trajectories, problem } = sortFiles(picked);
    if (model) this.offer(model);
    if (trajectories && (await isExperiment(trajectories))) await this.page.links.openExperiment(trajectories);
    else if (trajectories) this.read(trajectories);
    for (const file of imports) await this.page.library.importFile(file);
    if (problem) this.page.notifier.notify('warning', problem);
  }

  private read(offeredTrajectories: File) {
    this.page.store.set({ offeredTrajectories });
    this.page.layout.showPanel('stage');
    this.page.navigation.select({ tab: 'read' });
  }

  /** Opens the picker with the files. */
  private offer(offered: PickedFiles) {
    const { step } = this.page.store.state.model;
    if (step === 'finding' || step === 'downloading')
      return this.page.notifier.notify('warning', msg('Another language model is being loaded. Stop that first.'));
    this.page.store.set({ offered });
    this.page.layout.showPanel('setup');
  }
}
