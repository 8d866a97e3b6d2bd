/**
 * Model from local files: a folder that was picked or dropped in the browser, or a folder on Node. The key contains a
 * hash of the content, so that different models in folders of the same name have different keys.
 */
import { createSHA256 } from 'hash-wasm';
import { type ModelSource, SourceError, type SourceFile, subFolders } from './weights-source.ts';

/** File of a folder, made by `browserFiles` or `nodeFiles`. */
export interface FolderFile {
  name: string;
  size: number;
  /** Milliseconds; 0 if unknown. */
  lastModified: number;
  read(start: number, end: number): Promise<Uint8Array>;
}

/** Files that were picked or dropped in the browser. */
export function browserFiles(files: Iterable<{ name: string; file: File }>): FolderFile[] {
  return [...files].map(({ name, file }) => ({
    name,
    size: file.size,
    lastModified: file.lastModified,
    read: async (start, end) => new Uint8Array(await file.slice(start, end).arrayBuffer()),
  }));
}

/** Files of a folder on Node, including those in the sub-folders of the Hub's layout. */
export async function nodeFiles(folder: string): Promise<FolderFile[]> {
  if (!import.meta.env.SSR) throw new Error('Only Node can read a folder by its path.');
  const { open, readdir, stat } = await import('node:fs/promises');
  const { join } = await import('node:path');
  const beside = subFolders.map(async (sub) => {
    const inside = await readdir(join(folder, sub)).catch(() => []);
    return inside.map((name) => `${sub}/${name}`);
  });
  const names = [await readdir(folder), ...(await Promise.all(beside))].flat();
  // A link may lead nowhere, as in an incomplete cache of the Hub.
  const absent = (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  };
  const infos = names.map(async (name) => ({ name, info: await stat(join(folder, name)).catch(absent) }));
  const files = (await Promise.all(infos)).flatMap(({ name, info }) => (info?.isFile() ? [{ name, info }] : []));
  return files.map(({ name, info }) => ({
    name,
    size: info.size,
    lastModified: info.mtimeMs,
    read: async (start, end) => {
      const handle = await open(join(folder, name), 'r');
      try {
        const out = new Uint8Array(end - start);
        const { bytesRead } = await handle.read(out, 0, out.length, start);
        return out.subarray(0, bytesRead);
      } finally {
        await handle.close();
      }
    },
  }));
}

/** Message for files without weights that are read. */
function withoutWeights(label: string, names: readonly string[]): string {
  const pickled = names.find((name) => /\.(bin|pt|pth|ckpt|msgpack|h5)$/.test(name));
  return pickled
    ? `"${label}" has its weights in ${pickled}, which is not read: save the model as safetensors with transformers (save_pretrained).`
    : `"${label}" contains no weights. Choose a folder with config.json, tokenizer.json and model.safetensors, or one .gguf file.`;
}

/** Number of bytes read at a time. */
const chunkBytes = 4 << 20;
/** Number of bytes at the start and at the end of each file that enter the folder's key. */
const printedBytes = 1 << 16;

export class FolderSource implements ModelSource {
  private readonly files: ReadonlyMap<string, FolderFile>;

  private constructor(
    readonly key: string,
    readonly label: string,
    files: readonly FolderFile[],
  ) {
    this.files = new Map(files.map((file) => [file.name, file]));
  }

  /** Opens a folder. `label` is its name. Throws SourceError if it contains no weights. */
  static async open(label: string, files: readonly FolderFile[]): Promise<FolderSource> {
    const parts = files
      .filter(({ name }) => /\.(json|jinja|safetensors|gguf|GGUF|onnx|onnx_data(_\d+)?)$/.test(name))
      // macOS writes files of attributes beside others on foreign disks.
      .filter(({ name }) => !/(^|\/)\._/.test(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    if (!parts.some(({ name }) => /\.(safetensors|gguf|GGUF|onnx)$/.test(name)))
      throw new SourceError(
        'missing',
        withoutWeights(
          label,
          files.map(({ name }) => name),
        ),
      );
    return new FolderSource(`folder/${label}@${await fingerprint(parts)}`, label, parts);
  }

  names(): string[] {
    return [...this.files.keys()];
  }

  async text(name: string, signal: AbortSignal): Promise<string | null> {
    const file = this.files.get(name);
    if (!file) return null;
    const bytes = await this.read(file, 0, file.size);
    signal.throwIfAborted();
    return new TextDecoder().decode(bytes);
  }

  async file(name: string): Promise<SourceFile | null> {
    const file = this.files.get(name);
    if (!file) return null;
    return {
      name,
      bytes: file.size,
      sha256: null,
      identity: `${file.size} bytes, ${file.lastModified}`,
      stream: (start, signal, end = file.size) => this.stream(file, start, end, signal),
    };
  }

  private async *stream(file: FolderFile, start: number, end: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end; at += chunkBytes) {
      signal.throwIfAborted();
      yield await this.read(file, at, Math.min(at + chunkBytes, end));
    }
  }

  private async read(file: FolderFile, start: number, end: number): Promise<Uint8Array> {
    const bytes = await file.read(start, end).catch((error: Error) => {
      throw new SourceError(
        'unreadable',
        `${file.name} in "${this.label}" cannot be read (${error.message}). It was moved or changed: choose the folder again.`,
      );
    });
    if (bytes.length === end - start) return bytes;
    throw new SourceError(
      'truncated',
      `${file.name} in "${this.label}" ends at byte ${start + bytes.length}; ${end} were expected. Choose the folder again.`,
    );
  }
}

/** Sixteen hex digits of a hash over names, sizes, and the first and last bytes of the files. */
async function fingerprint(files: readonly FolderFile[]): Promise<string> {
  const hash = (await createSHA256()).init();
  for (const { name, size, read } of files) {
    hash.update(`${name}\0${size}\0`);
    hash.update(await read(0, Math.min(printedBytes, size)));
    hash.update(await read(Math.max(0, size - printedBytes), size));
  }
  return hash.digest('hex').slice(0, 16);
}
