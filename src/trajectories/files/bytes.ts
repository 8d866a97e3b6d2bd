/** Source of a file's bytes, whatever holds them. */

/** Bytes of a file: the common part of a page's `File` and an opened file of Node. */
export interface ByteSource {
  name: string;
  size: number;
  stream(): AsyncIterable<Uint8Array>;
  slice(from: number, to: number): Promise<Uint8Array>;
  /**
   * Number of packed bytes read so far, for a compressed file, whose stream yields unpacked bytes. Absent: as many as
   * the stream has yielded.
   */
  read?(): number;
}
