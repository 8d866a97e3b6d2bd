/**
 * State of the page: a copy of what sessions reported, and the selected place. It contains no training state; nothing
 * is lost if it is discarded. A panel names the keys it reads, and is drawn again only when one of them changes.
 */

import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { WorldView } from '../../envs/env.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { KeptModelInfo, ModelCard } from '../../models/protocol.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { Band } from '../../rl/evaluation/band.ts';
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
  StepInspection,
  StepRecord,
  TokenAlternative,
  TrainerApi,
} from '../../session/protocol.ts';
import type { Locale } from '../kit/locale.ts';
import type { Arrangement } from './arrangement.ts';
import type { OpenAssignment } from './assignment.ts';
import type { LessonProgress } from './lesson-progress.ts';
import { noLink, type PageLink } from './link.ts';
import { initialPanes, type PaneSizes } from './panes.ts';
import type { PickedFiles } from './picked-files.ts';
import { noSelection, type Selection } from './selection.ts';
import { noTalk, type TalkState } from './talk-state.ts';
import { plainWatch, type WatchView } from './watch-view.ts';
import { type ChartView, plainView } from './x-axis.ts';
import type { ZoomRange } from './zoom.ts';

/** Recorded episode, shown turn by turn. */
export interface Recording {
  /** Title of the recording; empty for an episode of the run in focus. */
  title: string;
  turns: LiveTurn[];
}

/** Counts of a person's own play. */
export interface Played {
  turns: number;
  /** Turns with an action that the world refused. */
  refused: number;
  tries: number;
  successes: number;
}

export const nothingPlayed: Played = { turns: 0, refused: 0, tries: 0, successes: 0 };

/** Link that was opened, while its experiment is in the setup. */
interface Shared {
  /** Source of the experiment: the packed text of a link, or the name of a file. */
  from: string;
  /** Run that the link names and that is not stored here; null if it names none. */
  run: string | null;
  /** Place in that run, for when it is imported. */
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
  /** What its button opens. */
  action?: 'storage';
  /** True if dismissed; the log still shows it. */
  read: boolean;
  /** Action of the notice's button, for example to undo a deletion. */
  undo?: () => void;
  /** Label of that button. Default: Undo. */
  undoLabel?: string;
}

/** Class in the local network that this page joined. */
export interface JoinedClass {
  title: string;
  code: string;
  /** Name as the board shows it. */
  name: string;
  /** False while the class's server does not answer. */
  reached: boolean;
  /** Name of the experiment that the class trains together; null: none. */
  training: string | null;
  /**
   * Groups that this page played for it, the version of the weights (-1: none yet), and false if the trainer did not
   * answer lately; null: the page does not play.
   */
  playing: { groups: number; version: number; reached: boolean } | null;
}

/** Value fetched from the worker: not requested, loading, ready, or failed with a sentence. */
export type Fetched<T> =
  | { state: 'none' }
  | { state: 'loading' }
  | { state: 'ready'; value: T }
  | { state: 'error'; message: string };

export const none = { state: 'none' } as const;

/** Language model in the picker. */
export interface ModelState {
  step: 'none' | 'finding' | 'found' | 'downloading';
  card: ModelCard | null;
  /** Reason for a failure, in a sentence. */
  problem: string;
  done: number;
  total: number;
  /** Free bytes that the browser reports; null if it reports none. */
  room: number | null;
}

export type DrawerTab = 'runs' | 'agents' | 'storage' | 'gpu' | 'log';
export type NarrowPanel = 'setup' | 'stage' | 'progress' | 'learn' | 'drawer';
/** Content of the right column. */
export type LearnTab = 'cards' | 'lessons' | 'compare' | 'assignment';
export type Theme = 'auto' | 'light' | 'dark';
export type StorageReport = Awaited<ReturnType<TrainerApi['storage']>>;
export type GpuDetails = Awaited<ReturnType<TrainerApi['gpuReport']>>;

export interface State {
  phase: 'starting' | 'ready' | 'broken';
  /** Reason in one sentence if phase is broken. */
  broken: string;
  gpu: GpuReport | null;
  presets: Experiment[];
  /** Index of the preset that the draft started from, or -1. */
  preset: number;
  /** Experiment in the setup; New or Train makes a run of it. */
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
  /** Sweep of the run in focus. */
  sweep: OpenedSweep | null;
  evaluations: Fetched<RunEvaluations>;
  /** Progress of a suite's evaluation; null if none is running. */
  evaluating: Progress | null;
  /** Conversation with a language model. */
  talk: TalkState;
  /** If true, charts show all runs of the sweep; otherwise the run in focus. */
  wholeSweep: boolean;
  live: LiveTurn[];
  /** Set while `live` shows a recorded episode. */
  recorded: Recording | null;
  watching: boolean;
  /** Number of the task that is watched, or was watched last; null: none yet. */
  watchedTask: number | null;
  watchView: WatchView;
  selection: Selection;
  /** Settings that the address fixes, in addition to the place. */
  link: PageLink;
  shared: Shared | null;
  /** True while the share dialog is open. */
  sharing: boolean;
  /** Ids of the runs that the comparison shows; null while it is closed. */
  compared: readonly string[] | null;
  /** Steps of the run in focus whose episodes are kept, ascending. */
  kept: readonly number[];
  /** Band in which the success of the run in focus is expected; null: its training is no preset's, or has no band. */
  band: Band | null;
  detail: Fetched<{ step: number; trajectories: Trajectory[] }>;
  tokenTexts: string[] | null;
  replay: Fetched<ReplayFrame[]>;
  /** Last views of the episodes in the shown group, for a view that compares them. */
  groupViews: Fetched<WorldView[]>;
  notices: Notice[];
  storage: Fetched<StorageReport>;
  gpuDetails: Fetched<GpuDetails>;
  model: ModelState;
  /** Dropped or chosen files of a language model, for the picker. */
  offered: PickedFiles | null;
  /** Number of times that another part of the page asked for the picker of language models. */
  modelsWanted: number;
  /** Dropped file of trajectories, for the reader. */
  offeredTrajectories: File | null;
  keptModels: KeptModelInfo[];
  /**
   * Effect of the shown step on its tokens and the weights; null if it cannot be computed, since the weights are no
   * longer kept.
   */
  inspection: Fetched<StepInspection | null>;
  /** Alternatives of the selected token; `list` is null if they cannot be computed. */
  alternatives: Fetched<{ key: string; list: readonly TokenAlternative[] | null }>;
  /** A person's play since the page opened or a lesson began. */
  played: Played;
  /** True once a button asked for a game: the tab Play then begins one. */
  playWanted: boolean;
  arrangement: Arrangement;
  /** True while the simple arrangement shows its settings. */
  settings: boolean;
  learn: LearnTab | null;
  assignment: OpenAssignment | null;
  joined: JoinedClass | null;
  /** Id of the open lesson. */
  lesson: string | null;
  /** True once the lessons' code is loaded. */
  lessonsReady: boolean;
  progressOfLessons: { readonly [lesson: string]: LessonProgress };
  drawer: DrawerTab | null;
  panel: NarrowPanel;
  theme: Theme;
  systemDark: boolean;
  locale: Locale;
  panes: PaneSizes;
  chartView: ChartView;
  /** Part of the horizontal axis that all charts show. */
  chartZoom: ZoomRange;
  help: boolean;
  /** Text for screen readers; milestones only. */
  announcement: string;
  /** Name of the action in progress, whose result the page waits for; null if none. */
  busy: string | null;
}

const initialState = (): State => ({
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
  talk: noTalk,
  wholeSweep: true,
  live: [],
  recorded: null,
  watching: false,
  watchedTask: null,
  watchView: plainWatch,
  selection: noSelection,
  link: noLink,
  shared: null,
  sharing: false,
  compared: null,
  kept: [],
  band: null,
  detail: none,
  tokenTexts: null,
  replay: none,
  groupViews: none,
  notices: [],
  storage: none,
  gpuDetails: none,
  model: { step: 'none', card: null, problem: '', done: 0, total: 0, room: null },
  offered: null,
  modelsWanted: 0,
  playWanted: false,
  offeredTrajectories: null,
  keptModels: [],
  inspection: none,
  alternatives: none,
  played: nothingPlayed,
  arrangement: 'simple',
  settings: false,
  learn: null,
  assignment: null,
  joined: null,
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
  chartZoom: null,
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

/** Redraws its host when one of the named keys changes. */
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
