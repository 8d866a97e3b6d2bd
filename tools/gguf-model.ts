/** A language model of a GGUF file of this machine, for tools and benches. Nothing is kept. */
import { basename, dirname } from 'node:path';
import { type PreparedModel, prepareModel } from '../src/models/loader.ts';
import type { Precision } from '../src/policy/weights/linear.ts';
import { FolderSource, nodeFiles } from '../src/store/weights-folder.ts';

export async function ggufModel(path: string, precision: Precision): Promise<PreparedModel> {
  const source = await FolderSource.open(basename(path), await nodeFiles(dirname(path)));
  return prepareModel(source, { precision, cache: null, gguf: basename(path), signal: new AbortController().signal });
}
