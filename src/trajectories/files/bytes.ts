/** Where a file's bytes come from, whatever holds them. */

/** Bytes of a file: what a page's `File` and an opened file of Node both give. */
export interface ByteSource {
  name: string;
  size: number;
  stream(): AsyncIterable<Uint8Array>;
  slice(from: number, to: number): Promise<Uint8Array>;
  /** Of `size`, so many bytes were taken, where that is not what has arrived: of a compressed file. */
  read?(): number;
}
