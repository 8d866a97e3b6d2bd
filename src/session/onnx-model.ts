/**
 * A language model that its repository has as ONNX, in the Hub's layout: found without its weights, and read whole when it is to
 * play. It is not kept. Which families the engine runs does not matter here.
 */
import type { OnnxSource } from '../policy/onnx-session.ts';
import { type ModelSource, readRange, SourceError, type SourceFile } from '../store/weights-source.ts';
import { conversationTexts } from './model-files.ts';

export interface OnnxModel {
  label: string;
  /** config.json, tokenizer.json, and what there is of the files of its conversation. */
  texts: { readonly [name: string]: string };
  /** Of all its files. */
  totalBytes: number;
  load(options: { signal: AbortSignal; onProgress?(done: number, total: number): void }): Promise<OnnxSource>;
}

/** The runtime's memory is WebAssembly's, 4 GiB in all, and it holds a model twice while it opens it. */
export const mostOnnxBytes = 3 * 2 ** 29;

const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(2)} GiB`;

/** `name_data`, and `name_data_1` and so on where there are more. */
async function weightsBeside(source: ModelSource, name: string, signal: AbortSignal): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (;;) {
    const file = await source.file(files.length ? `${name}_data_${files.length}` : `${name}_data`, signal);
    if (!file) return files;
    files.push(file);
  }
}

/** Rejects with a SourceError where there is no such file, or one too large for the runtime. */
export async function prepareOnnx(source: ModelSource, name: string, signal: AbortSignal): Promise<OnnxModel> {
  const model = await source.file(name, signal);
  if (!model) {
    const others = source.names()?.filter((each) => each.endsWith('.onnx')) ?? [];
    const there = others.length ? ` It has ${others.join(', ')}.` : '';
    throw new SourceError(
      'missing',
      `${source.label} has no ${name}.${there} Name a file in ONNX (policy.file), or a repository that has one.`,
    );
  }
  const texts = await conversationTexts(source, signal);
  const files = [model, ...(await weightsBeside(source, name, signal))];
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (totalBytes > mostOnnxBytes)
    throw new SourceError(
      'unreadable',
      `${name} of ${source.label} is ${gigabytes(totalBytes)}; the ONNX runtime can hold ${gigabytes(mostOnnxBytes)} here. Choose a file of fewer bits, such as onnx/model_q4.onnx.`,
    );
  return {
    label: source.label,
    texts,
    totalBytes,
    async load({ signal, onProgress }) {
      const parts: Uint8Array[] = [];
      let done = 0;
      for (const file of files) {
        parts.push(await readRange(file, 0, file.bytes, signal, (bytes) => onProgress?.(done + bytes, totalBytes)));
        done += file.bytes;
      }
      const external = files.slice(1).map((file, i) => ({ path: file.name.split('/').at(-1)!, data: parts[i + 1] }));
      return { model: parts[0], external };
    },
  };
}
