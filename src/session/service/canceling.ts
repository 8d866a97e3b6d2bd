/** Work that its caller may cancel by its answer to the progress. */
import type { Report } from '../../store/in-parts.ts';
import type { ShareReport } from '../protocol.ts';

/** A report that rejects with `canceled()` once `onProgress` answers false. */
export const cancelable =
  (onProgress: ShareReport = () => true, canceled: () => Error): Report =>
  async (share) => {
    if (!(await onProgress(share))) throw canceled();
  };
