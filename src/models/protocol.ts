/**
 * Messages about language models between the page and the trainer. All values are structured-cloneable, as in
 * session/protocol.ts.
 */
import type { Precision } from '../policy/weights/linear.ts';

export { ADAPTER_FILES, adapterFileNames, insideMerged, pickledAdapter } from '../store/adapter-files.ts';
export { subFolders } from '../store/weights-source.ts';
export type { Precision };

/** File with its path in the picked folder, which a File object alone does not contain. */
export interface PickedFile {
  name: string;
  file: File;
}

/** Location of a model: a hub or mirror, or files that a person picked. */
export type ModelPlace =
  | {
      kind: 'hub';
      /** `owner/name`. */
      id: string;
      revision?: string;
      /** Address of the hub, a mirror or a local server. Default: the public hub. */
      base?: string;
      /** GGUF file of the repository to read instead of its safetensors. */
      gguf?: string;
      /** ONNX file of the repository to use instead. Such a model plays but does not train. */
      onnx?: string;
      /** Access token for gated repositories. Kept in memory only. */
      token?: string;
    }
  | { kind: 'files'; label: string; files: PickedFile[] };

export interface ModelRequest {
  place: ModelPlace;
  precision: Precision;
}

/** Found model, with its properties and costs. */
export interface ModelCard {
  /** Key of the model, also in the list of kept models. */
  key: string;
  /** Name in experiments: a listed model's id, else the key. */
  name: string;
  label: string;
  precision: Precision;
  modelType: string;
  layers: number;
  hidden: number;
  vocabulary: number;
  parameters: number;
  /**
   * Size of the weight files; the part still to be downloaded; and the approximate size on disk at this precision. In
   * bytes.
   */
  totalBytes: number;
  remainingBytes: number;
  storedBytes: number;
  /** GPU memory for training it with an adapter (`cardRun`); null if unknown. */
  gpuBytes: number | null;
  /**
   * ONNX file, if the model is one. It plays but does not train, is kept after it has played, and its parameters are
   * not counted.
   */
  onnx?: string;
}

/** Model of which some files are kept. */
export interface KeptModelInfo {
  /** Name to use for deletion. */
  folder: string;
  key: string;
  label: string;
  precision: string;
  bytes: number;
  complete: boolean;
}

/** Run for which a card states the GPU memory. The plan in the setup states it for the experiment itself. */
export const cardRun = { rank: 16, episodes: 8, prompt: 1024, completion: 512, batchTokens: 2048 } as const;

export interface ModelApi {
  /** Looks a model up at its source. Refuses models that cannot be run. Loads no weights. */
  findModel(request: ModelRequest): Promise<ModelCard>;
  /** Downloads and keeps the missing parts of a found model. Progress is reported by `model` events. */
  downloadModel(key: string, precision: Precision): Promise<void>;
  /** Stops lookups and downloads. The received part of a download is kept. */
  cancelDownload(): Promise<void>;
  keptModels(): Promise<KeptModelInfo[]>;
  deleteModel(folder: string): Promise<void>;
}
