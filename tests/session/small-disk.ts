import { FullError } from '../../src/store/weights-cache.ts';
import { NodeDisk } from '../../src/store/weights-disk.ts';

/** A disk that is full after `room` bytes. */
export class SmallDisk extends NodeDisk {
  constructor(
    root: string,
    public room: number,
  ) {
    super(root);
  }
  override async writer(at: string, name: string) {
    const file = await super.writer(at, name);
    const write = file.write.bind(file);
    file.write = async (position, bytes) => {
      if (bytes.length > this.room) {
        await write(position, bytes.subarray(0, this.room));
        throw new FullError('no room');
      }
      this.room -= bytes.length;
      return write(position, bytes);
    };
    return file;
  }
}
