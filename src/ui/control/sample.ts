/** The episode that was recorded elsewhere for a first visit; public/samples.json names its file. */
import type { Recording } from '../state/state.ts';
import { fetchSiteJson } from './site-file.ts';

let loading: Promise<Recording | null> | null = null;

async function load(): Promise<Recording | null> {
  try {
    const [sample] = (await fetchSiteJson('samples.json')) as { file: string }[];
    return sample ? ((await fetchSiteJson(sample.file)) as Recording) : null;
  } catch {
    // The next call tries again.
    loading = null;
    return null;
  }
}

/** Loads the sample once. Resolves with null if it cannot be loaded. */
export function loadSample(): Promise<Recording | null> {
  loading ??= load();
  return loading;
}
