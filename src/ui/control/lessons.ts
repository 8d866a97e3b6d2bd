/**
 * The lesson that is open: its experiment goes into the setup, what is done is recognised from what the page knows, and progress is
 * kept. The lessons themselves are loaded when one is opened.
 */
import { msg, str } from '@lit/localize';
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import { type Lesson, type Part, seenOf, type Where } from '../state/lesson.ts';
import { type LessonProgress, LocalProgress, nothingDone, type ProgressStore } from '../state/lesson-progress.ts';
import { nothingPlayed, type State, type Store } from '../state/state.ts';
import type { Drafting } from './draft.ts';
import { isActive } from './events.ts';
import type { Layout } from './layout.ts';
import type { LazyParts } from './lazy-parts.ts';
import type { Reading } from './navigate.ts';
import type { Notifying } from './notify.ts';

/** What a teacher's link fixes. */
export interface LessonOptions {
  /** Name of the preset in place of the lesson's own experiment. */
  preset?: string | null;
  seed?: number | null;
}

/** What a lesson moves of the page. */
interface Page {
  readonly store: Store;
  readonly said: Notifying;
  readonly layout: Layout;
  readonly reading: Reading;
  readonly drafting: Drafting;
  pause(): Promise<void>;
  stopWatching(): Promise<void>;
  close(): void;
}

export class Lessons {
  /** All lessons; empty until they are loaded. */
  lessons: readonly Lesson[] = [];
  private stop: (() => void) | null = null;
  private options: LessonOptions = {};

  constructor(
    private readonly app: Page,
    private readonly loadLessons: LazyParts['loadLessons'],
    private readonly kept: ProgressStore = new LocalProgress(),
  ) {}

  private get state(): State {
    return this.app.store.state;
  }

  /** The lesson of the address; else the one that was open when the page was closed goes on, with the setup as it is. */
  async restore() {
    const progress = this.kept.read();
    this.app.store.set({ progressOfLessons: progress.lessons });
    const { lesson, preset, seed } = this.state.link;
    if (lesson) return this.open(lesson, { preset, seed });
    const { open } = progress;
    if (!open) return;
    await this.load();
    if (this.find(open)) this.follow(open);
  }

  /** Begins a lesson, or goes on with it: the run in focus is closed, the setup is the lesson's. */
  async open(id: string, options: LessonOptions = {}) {
    await this.load();
    const lesson = this.find(id);
    if (!lesson)
      return this.app.said.notify('warning', msg(str`There is no lesson “${id}”. Choose one from the list.`));
    this.options = options;
    if (isActive(this.state.status)) await this.app.pause();
    if (this.state.watching) await this.app.stopWatching();
    this.app.close();
    this.app.store.set({ played: nothingPlayed });
    this.follow(id);
    this.setUp(this.current(lesson)?.experiment ?? lesson.experiment);
    this.app.layout.openLearn('lessons');
    if (lesson.start.tab) this.app.reading.select({ tab: lesson.start.tab });
  }

  close() {
    this.stop?.();
    this.stop = null;
    this.app.store.set({ lesson: null });
    this.keep();
  }

  /** The first part that is not done; null: all are. */
  current(lesson: Lesson): Part | null {
    const { done } = this.progressOf(lesson.id);
    return lesson.parts.find(({ id }) => !done.includes(id)) ?? null;
  }

  progressOf(id: string): LessonProgress {
    return this.state.progressOfLessons[id] ?? nothingDone;
  }

  answer(id: string, question: string, choice: number) {
    const { done, answers } = this.progressOf(id);
    this.setProgress(id, { done, answers: { ...answers, [question]: choice } });
  }

  startAgain(id: string) {
    this.setProgress(id, nothingDone);
    return this.open(id, this.options);
  }

  go({ panel, tab, learn }: Where) {
    const { layout, reading } = this.app;
    if (learn) layout.openLearn(learn);
    layout.showPanel(panel);
    if (tab) reading.select({ tab });
  }

  /** Puts an experiment into the setup; the next Train makes a run of it. */
  setUp(document: unknown) {
    if (document === undefined) return;
    const { preset, seed } = this.options;
    const named = this.state.presets.find(({ name }) => name === preset);
    const experiment: Experiment = structuredClone(named ?? parseExperiment(document));
    this.app.drafting.use(seed === null || seed === undefined ? experiment : { ...experiment, seed });
  }

  /** Another experiment, from the beginning: the run in focus stays in the list. */
  async begin(document: unknown) {
    if (isActive(this.state.status)) await this.app.pause();
    this.app.close();
    this.setUp(document);
  }

  async load() {
    if (!this.lessons.length) this.lessons = await this.loadLessons();
    this.app.store.set({ lessonsReady: true });
  }

  private find(id: string): Lesson | undefined {
    return this.lessons.find((each) => each.id === id);
  }

  private follow(id: string) {
    this.stop?.();
    this.app.store.set({ lesson: id });
    this.keep();
    this.stop = this.app.store.listen((changed) => {
      if (!changed.has('progressOfLessons')) this.look();
    });
    this.look();
  }

  /** Whether the part that is up is done; the next may be done already. */
  private look() {
    const { state } = this;
    const lesson = state.lesson ? this.find(state.lesson) : undefined;
    const part = lesson && this.current(lesson);
    if (!lesson || !part?.done(seenOf(state))) return;
    const { done, answers } = this.progressOf(lesson.id);
    this.setProgress(lesson.id, { done: [...done, part.id], answers });
    const next = this.current(lesson);
    this.app.said.announce(
      next
        ? msg(str`Done: ${part.title()}. Next: ${next.title()}.`)
        : msg(str`Done: ${part.title()}. Two questions are left.`),
    );
    if (next?.experiment) void this.begin(next.experiment);
    this.look();
  }

  private setProgress(id: string, progress: LessonProgress) {
    this.app.store.set({ progressOfLessons: { ...this.state.progressOfLessons, [id]: progress } });
    this.keep();
  }

  private keep() {
    this.kept.write({ open: this.state.lesson, lessons: this.state.progressOfLessons });
  }
}
