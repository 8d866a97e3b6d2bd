/** The language model that serveModelPage (model-page.ts) serves, read in its page. Nothing is kept. */
import { type PreparedModel, prepareModel } from '../src/models/loader.ts';
import type { Precision } from '../src/policy/weights/linear.ts';
import { browserFiles, FolderSource } from '../src/store/weights-folder.ts';

export async function servedModel(name: string, precision: Precision): Promise<PreparedModel> {
  const file = new File([await (await fetch('/model.gguf')).blob()], name);
  const source = await FolderSource.open(name, browserFiles([{ name, file }]));
  return prepareModel(source, { precision, cache: null, gguf: name, signal: new AbortController().signal });
}
