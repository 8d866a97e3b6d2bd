/** Source of a file's bytes, whatever holds them. */

/** Bytes of a file: the common part of a page's `File` and an opened file of Node. */
export interface ByteSource {
  name: string;
  size: number;
  stream(): AsyncIterable<Uint8Array>;
  slice(from: number, to: number): Promise<Uint8Array>;
  /** Bytes of `size` taken so far, if that differs from the bytes received: for a compressed file. */
  read?(): number;
}
