/** Opening of a stored run, whose records are read with progress. Nothing is opened once it is canceled. */
import { StoreError } from '../../store/run.ts';
import type { RunStore } from '../../store/run-store.ts';
import type { RunSummary, ShareReport, StepRecord } from '../protocol.ts';
import { getRun, requireParts } from '../stored-run.ts';
import { cancelable } from './canceling.ts';
import type { DeviceUsers } from './device-users.ts';

/** Thrown once the caller has canceled the opening. */
class OpeningCanceledError extends StoreError {
  override name = 'OpeningCanceledError';
}

export const openingReport = (onProgress?: ShareReport) =>
  cancelable(onProgress, () => new OpeningCanceledError('The opening was canceled.'));

interface Places {
  store: RunStore;
  users: DeviceUsers;
}

export async function openRun({ store, users }: Places, runId: string, onProgress?: ShareReport) {
  const summary: RunSummary = await getRun(store, runId);
  requireParts(summary);
  const held = users.holds(runId);
  // Before the records are read: another tab that trains the run may write more.
  const owner = (await users.hold(runId)) ? ('this-tab' as const) : ('another-tab' as const);
  try {
    const records = await store.records<StepRecord>(runId, undefined, openingReport(onProgress));
    await users.releaseOthers(runId);
    return { summary, records, owner };
  } catch (error) {
    if (!held) await users.release(runId);
    throw error;
  }
}
