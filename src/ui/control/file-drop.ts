/**
 * Files that a person dropped anywhere on the page, or chose. Runs, policies and adapters are imported, a language
 * model goes to its picker, and any other file is named in a warning. Decides by the files' names.
 */
import { msg, str } from '@lit/localize';
import {
  ADAPTER_FILES,
  adapterFileNames,
  insideMerged,
  type PickedFile,
  pickledAdapter,
} from '../../models/protocol.ts';
import { fileCount } from '../kit/counts.ts';
import { sentences } from '../kit/format.ts';
import { droppedFiles, type PickedFiles, shownName } from '../state/picked-files.ts';
import type { Notice, Store } from '../state/state.ts';

export interface SortedFiles {
  /** Files of a language model. */
  model: PickedFiles | null;
  /** Runs, policies and adapters, one file each. */
  imports: File[];
  /** Files of an adapter that is not packed. */
  adapter: PickedFiles | null;
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
  /\.(jsonl|ndjson|json)(\.gz)?$|\.(gz|parquet)$/i.test(file.name) && !isModelPart(file);
const [adapterConfig, adapterWeights] = ADAPTER_FILES;
/** Old weights count too: the import refuses them by name. */
const isAdapter = ({ name }: PickedFile) => [adapterConfig, adapterWeights, pickledAdapter].includes(name);
/** True for the files that an import of an adapter reads: its own, and those of the hand-off that it came from. */
const isOfAdapter = (file: PickedFile) =>
  isAdapter(file) || [...adapterFileNames, 'handoff.json', 'experiment.json'].includes(file.name);
const noFiles: SortedFiles = { model: null, imports: [], adapter: null, trajectories: null, problem: '' };
const inMerged = `${insideMerged}/`;

const wanted = () =>
  msg(
    'A run is a .tabgym file, an experiment a .json file, a policy a .zip; an adapter is adapter_config.json and adapter_model.safetensors, also as a .zip; trajectories are one .json, .jsonl or .parquet file, also as .gz; a language model is a folder with config.json, tokenizer.json and model.safetensors, or a .gguf file; for ONNX a folder with config.json, tokenizer.json and the .onnx file, also in its sub-folder onnx.',
  );

function problemOf({ label: folder, files }: PickedFiles, rest: readonly PickedFile[]): string {
  if (!files.length) return msg('Nothing usable was dropped: texts, links and empty folders cannot be opened.');
  if (!rest.length) return '';
  const label = shownName(folder);
  const names =
    rest.length > 3
      ? msg(str`${fileCount(rest.length)} of “${label}”`)
      : rest.map(({ name }) => `“${shownName(name)}”`).join(', ');
  return sentences(msg(str`${names} cannot be opened.`), wanted());
}

const onlyOne = ({ name }: PickedFile) =>
  msg(
    str`“${shownName(name)}” is read. Drop the others one by one: experiments and trajectories are opened one file at a time.`,
  );

/** The files of an adapter, without the trainer's other files; a sentence if one is missing. */
function sortAdapter({ label, files }: PickedFiles): Pick<SortedFiles, 'adapter' | 'problem'> {
  const has = (...names: string[]) => files.some(({ name }) => names.includes(name));
  const missing = has(adapterConfig) ? (has(adapterWeights, pickledAdapter) ? null : adapterWeights) : adapterConfig;
  if (missing)
    return {
      adapter: null,
      problem: msg(
        str`“${shownName(label)}” is part of an adapter: ${missing} is missing. Choose or drop both files together.`,
      ),
    };
  // Files without a folder have no name of their own.
  const name = label === 'files' || has(label) ? 'adapter' : label;
  return {
    adapter: { label: name, files: files.filter(isOfAdapter) },
    problem: '',
  };
}

/**
 * verl's merged folder is its model, with a warning: the adapter inside is in none of its weights. A folder without other
 * weights is the adapter.
 */
function sortMerged({ label, files }: PickedFiles): SortedFiles {
  const [inside, around] = [true, false].map((isInside) =>
    files.filter(({ name }) => name.startsWith(inMerged) === isInside),
  );
  if (!around.some(isWeights))
    return sortFiles({
      label,
      files: inside.map(({ name, file }) => ({ name: name.slice(inMerged.length), file })),
    });
  return {
    ...noFiles,
    model: { label, files: around },
    problem: msg(
      str`“${shownName(label)}” holds a base model and, in its folder lora_adapter, an adapter that is not applied. Drop lora_adapter itself to import the adapter.`,
    ),
  };
}

/** Sorts files by their use. */
export function sortFiles(picked: PickedFiles): SortedFiles {
  const { files } = picked;
  const isUnpacked = files.some(isAdapter) && !files.some((file) => isWeights(file) && !isAdapter(file));
  if (files.some(({ name }) => name === inMerged + adapterConfig)) return sortMerged(picked);
  if (files.some(isWeights) && !isUnpacked) return { ...noFiles, model: picked };
  const imports = files.filter(isImport).map(({ file }) => file);
  if (isUnpacked) return { ...noFiles, imports, ...sortAdapter(picked) };
  const [read, ...others] = files.filter(isTrajectories);
  const rest = files.filter((file) => !isImport(file) && !isTrajectories(file));
  const problem = sentences(others.length ? onlyOne(read) : '', problemOf(picked, rest));
  return { ...noFiles, imports, trajectories: read?.file ?? null, problem };
}

/** An experiment and trajectories may both be a .json file. An experiment is short and contains its format's name. */
const isExperiment = async (file: File): Promise<boolean> =>
  /\.json$/i.test(file.name) && file.size <= 1e6 && (await file.text()).includes('"tabgym-experiment-');

/** An assignment contains an experiment, and the name of its own format. */
const isAssignment = async (file: File): Promise<boolean> =>
  /\.json$/i.test(file.name) && file.size <= 1e6 && (await file.text()).includes('"tabgym-assignment-');

interface Page {
  store: Store;
  notifier: { notify(level: Notice['level'], message: string): void };
  layout: { showPanel(panel: 'setup' | 'stage'): void; showLab(): void };
  navigation: { select(place: { tab: 'read' }): void };
  library: { importFile(file: File): Promise<void>; importAdapter(files: PickedFiles): Promise<void> };
  links: { openExperiment(file: File): Promise<void> };
  assignments: { openFile(file: File): Promise<void> };
}

export class FileDrop {
  constructor(private readonly page: Page) {}

  async drop(transfer: DataTransfer | null) {
    if (transfer) await this.reading(async () => this.sorted(await droppedFiles(transfer)));
  }

  take = (picked: PickedFiles) => this.reading(() => this.sorted(picked));

  /** A file may be gone or locked by the time that it is read. */
  private async reading(take: () => Promise<void>) {
    try {
      await take();
    } catch (error) {
      const { message } = error as Error;
      this.page.notifier.notify(
        'error',
        msg(str`The dropped files cannot be read (${message}). Choose them with a button instead.`),
      );
    }
  }

  private async sorted(picked: PickedFiles) {
    const { model, imports, adapter, trajectories, problem } = sortFiles(picked);
    if (model) this.offer(model);
    if (trajectories && (await isAssignment(trajectories))) await this.page.assignments.openFile(trajectories);
    else if (trajectories && (await isExperiment(trajectories))) await this.page.links.openExperiment(trajectories);
    else if (trajectories) this.read(trajectories);
    for (const file of imports) await this.page.library.importFile(file);
    if (adapter) await this.page.library.importAdapter(adapter);
    if (problem) this.page.notifier.notify('warning', problem);
  }

  private read(offeredTrajectories: File) {
    this.page.store.set({ offeredTrajectories });
    this.page.layout.showLab();
    this.page.layout.showPanel('stage');
    this.page.navigation.select({ tab: 'read' });
  }

  /** Opens the picker with the files. */
  private offer(offered: PickedFiles) {
    const { step } = this.page.store.state.model;
    if (step === 'finding' || step === 'downloading')
      return this.page.notifier.notify('warning', msg('Another language model is being loaded. Stop that first.'));
    this.page.store.set({ offered });
    this.page.layout.showLab();
    this.page.layout.showPanel('setup');
  }
}
