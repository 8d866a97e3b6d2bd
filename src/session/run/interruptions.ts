/** Errors that end a step in progress without a failure of the run. */
import { DeviceLostError } from '../../device/device.ts';
import { FrozenError } from './freeze-watch.ts';

/** True if the error means that the device, or this page's access to it, is gone. */
export function meansLostDevice(error: unknown): boolean {
  return error instanceof DeviceLostError || error instanceof FrozenError;
}

/** Ends a step in progress without an error: the run was closed or taken over. */
export class ClosedError extends Error {
  override name = 'ClosedError';
}

/** Ends a preparation, because a pause must not wait for gigabytes of weights or for hundreds of episodes. */
export class PausedError extends ClosedError {
  override name = 'PausedError';
}
