/** Client of the worker that reads trajectories. The page has one, started at the first use. */
import * as Comlink from 'comlink';
import type { ReaderApi } from '../../trajectories/files/reader.ts';
import { startReader } from '../control/start-reader.ts';

let api: ReaderApi | null = null;

export function readerApi(onCrash: (problem: string) => void): ReaderApi {
  if (api) return api;
  const { reader } = startReader('reader', (problem) => {
    api = null;
    onCrash(problem);
  });
  const remote = reader as unknown as ReaderApi;
  api = {
    openFile: (file, name, onState) => remote.openFile(file, name, Comlink.proxy(onState)),
    openRun: (name, steps, readStep, onState) =>
      remote.openRun(name, steps, Comlink.proxy(readStep), Comlink.proxy(onState)),
    cancel: () => remote.cancel(),
    close: () => remote.close(),
    arrange: (filter, sorting) => remote.arrange(filter, sorting),
    rows: (from, to) => remote.rows(from, to),
    placeOf: (index) => remote.placeOf(index),
    read: (index) => remote.read(index),
    runPlaceOf: (index) => remote.runPlaceOf(index),
    select: (indices, on) => remote.select(indices, on),
    write: (name) => remote.write(name),
  };
  return api;
}
