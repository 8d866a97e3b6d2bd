/**
 * What the page knows: a copy of what sessions told it, and where the reader is. No training state lives here; losing all
 * of it loses nothing. Panels name the parts they read, and are drawn again only when one of those changed.
 */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Experiment } from '../../experiment/experiment.ts';
import type { KeptModelInfo, ModelCard } from '../../models/protocol.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { RunEvaluations } from '../../session/evaluation-protocol.ts';
import type {
  GpuReport,
  LiveTurn,
  MemoryPlanReport,
  OpenedSweep,
  Progress,
  ReplayFrame,
  RunStatus,
  RunSummary,
  StepInsight,
  StepRecord,
  TrainerApi,
} from '../../session/protocol.ts';
import type { Locale } from '../kit/locale.ts';
import type { LessonProgress } from './lesson-progress.ts';
import { noLink, type PageLink } from './link.ts';
import { initialPanes, type PaneSizes } from './panes.ts';
import type { PickedFiles } from './picked-files.ts';
import { noSelection, type Selection } from './selection.ts';
import { type ChartView, plainView } from './x-axis.ts';

/** An episode that was played before, shown turn by turn. */
export interface Recording {
  /** What it is, for a person; empty for an episode of the run in focus. */
  title: string;
  turns: LiveTurn[];
}

/** A person's own play. */
export interface Played {
  turns: number;
  /** Turns that the world refused. */
  refused: number;
  tries: number;
  successes: number;
}

export const nothingPlayed: Played = { turns: 0, refused: 0, tries: 0, successes: 0 };

/** A link that was opened, while what it asks for waits in the setup. */
export interface Shared {
  /** What the experiment came in: the packed text of a link, or a file's name. */
  from: string;
  /** The run it names, which is not stored here; null: it names none. */
  run: string | null;
  /** Where it points, once that run is here. */
  place: Selection;
}

export interface Problem {
  path: string;
  message: string;
}

export interface Notice {
  id: number;
  at: number;
  level: 'info' | 'warning' | 'error';
  message: string;
  action?: string;
  /** Dismissed from the page; still in the log. */
  read: boolean;
  /** For example the undo of a deletion. */
  undo?: () => void;
  /** What its button says; absent: Undo. */
  undoLabel?: string;
}

/** A thing that is fetched from the worker: not asked for, on its way, here, or failed with a sentence. */
export type Fetched<T> =
  | { state: 'none' }
  | { state: 'loading' }
  | { state: 'ready'; value: T }
  | { state: 'error'; message: string };

export const none = { state: 'none' } as const;

/** The language model that the picker shows. */
export interface ModelState {
  step: 'none' | 'finding' | 'found' | 'downloading';
  card: ModelCard | null;
  /** Why it did not work, in a sentence. */
  problem: string;
  done: number;
  total: number;
  /** Bytes that this browser says it has room for; null: it does not say. */
  room: number | null;
}

export type DrawerTab = 'runs' | 'agents' | 'storage' | 'gpu' | 'log';
export type NarrowPanel = 'setup' | 'stage' | 'progress' | 'learn' | 'drawer';
/** What the right column shows. */
export type LearnTab = 'cards' | 'lessons';
export type Theme = 'auto' | 'light' | 'dark';
export type StorageReport = Awaited<ReturnType<TrainerApi['storage']>>;
export type GpuDetails = Awaited<ReturnType<TrainerApi['gpuReport']>>;

export interface State {
  phase: 'starting' | 'ready' | 'broken';
  /** Why nothing works, in one sentence, where phase is broken. */
  broken: string;
  gpu: GpuReport | null;
  presets: Experiment[];
  /** Index into presets that the draft started from, or -1. */
  preset: number;
  /** What the setup panel shows; becomes a run with New or Train. */
  draft: Experiment | null;
  problems: Problem[];
  plan: Fetched<MemoryPlanReport>;
  runs: RunSummary[];
  run: RunSummary | null;
  opening: boolean;
  owner: 'this-tab' | 'another-tab';
  status: RunStatus;
  statusDetail: string;
  progress: Progress | null;
  records: StepRecord[];
  /** The sweep that the run in focus is of. */
  sweep: OpenedSweep | null;
  evaluations: Fetched<RunEvaluations>;
  /** How far an evaluation over a suite is; null: none is played. */
  evaluating: Progress | null;
  /** Charts show all runs of the sweep, not the one in focus. */
  together: boolean;
  live: LiveTurn[];
  /** Set while `live` shows a recorded episode. */
  recorded: Recording | null;
  watching: boolean;
  selection: Selection;
  /** What the address fixes beside the place. */
  link: PageLink;
  shared: Shared | null;
  /** Whether the dialog of links is open. */
  sharing: boolean;
  /** Shown inside another page: the stage alone. */
  embedded: boolean;
  detail: Fetched<{ step: number; trajectories: Trajectory[] }>;
  tokenTexts: string[] | null;
  replay: Fetched<ReplayFrame[]>;
  notices: Notice[];
  storage: Fetched<StorageReport>;
  gpuDetails: Fetched<GpuDetails>;
  model: ModelState;
  /** Files of a language model that were dropped or chosen; the picker takes them. */
  offered: PickedFiles | null;
  /** A file of trajectories that was dropped; the reader takes it. */
  offeredTrajectories: File | null;
  keptModels: KeptModelInfo[];
  /** What the shown step did to its tokens and the weights; null: it cannot be known any more, or not now. */
  insight: Fetched<StepInsight | null>;
  /** What a person did in Play since the page was opened or a lesson began. */
  played: Played;
  learn: LearnTab | null;
  /** The lesson that is open. */
  lesson: string | null;
  /** They come when they are asked for. */
  lessonsReady: boolean;
  progressOfLessons: { readonly [lesson: string]: LessonProgress };
  drawer: DrawerTab | null;
  panel: NarrowPanel;
  theme: Theme;
  systemDark: boolean;
  locale: Locale;
  panes: PaneSizes;
  chartView: ChartView;
  help: boolean;
  /** Said by screen readers: milestones only. */
  announcement: string;
  /** Set while the page waits for the worker's answer to a button. */
  busy: string | null;
}

export const initialState = (): State => ({
  phase: 'starting',
  broken: '',
  gpu: null,
  presets: [],
  preset: -1,
  draft: null,
  problems: [],
  plan: none,
  runs: [],
  run: null,
  opening: false,
  owner: 'this-tab',
  status: 'idle',
  statusDetail: '',
  progress: null,
  records: [],
  sweep: null,
  evaluations: none,
  evaluating: null,
  together: true,
  live: [],
  recorded: null,
  watching: false,
  selection: noSelection,
  link: noLink,
  shared: null,
  sharing: false,
  embedded: false,
  detail: none,
  tokenTexts: null,
  replay: none,
  notices: [],
  storage: none,
  gpuDetails: none,
  model: { step: 'none', card: null, problem: '', done: 0, total: 0, room: null },
  offered: null,
  offeredTrajectories: null,
  keptModels: [],
  insight: none,
  played: nothingPlayed,
  learn: null,
  lesson: null,
  lessonsReady: false,
  progressOfLessons: {},
  drawer: null,
  panel: 'stage',
  theme: 'auto',
  systemDark: false,
  locale: 'en',
  panes: initialPanes(),
  chartView: plainView,
  help: false,
  announcement: '',
  busy: null,
});

export type StateKey = keyof State;

export class Store {
  state = initialState();
  private readonly listeners = new Set<(changed: ReadonlySet<StateKey>) => void>();

  set(patch: Partial<State>) {
    const keys = (Object.keys(patch) as StateKey[]).filter((key) => patch[key] !== this.state[key]);
    if (!keys.length) return;
    this.state = { ...this.state, ...patch };
    const changed = new Set(keys);
    for (const listener of this.listeners) listener(changed);
  }

  listen(listener: (changed: ReadonlySet<StateKey>) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** Draws its host again when one of the named parts changed. */
export class Watch implements ReactiveController {
  private stop: (() => void) | null = null;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly store: () => Store,
    private readonly keys: readonly StateKey[],
  ) {
    host.addController(this);
  }

  hostConnected() {
    this.stop = this.store().listen((changed) => {
      if (this.keys.some((key) => changed.has(key))) this.host.requestUpdate();
    });
  }

  hostDisconnected() {
    this.stop?.();
  }
}
