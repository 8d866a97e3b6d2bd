/**
 * The open lesson: puts its experiment into the setup, detects finished parts from the state of the page, and stores
 * progress. The code of the lessons is loaded when the first one is opened.
 */
import { msg, str } from '@lit/localize';
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import { type Lesson, lessonContext, type Part, type PartPlace } from '../state/lesson.ts';
import { type LessonProgress, LocalProgress, nothingDone, type ProgressStore } from '../state/lesson-progress.ts';
import { nothingPlayed, type State, type Store } from '../state/state.ts';
import type { Draft } from './draft.ts';
import { isActive } from './events.ts';
import type { Layout } from './layout.ts';
import type { LazyParts } from './lazy-parts.ts';
import type { Navigation } from './navigation.ts';
import type { Notifier } from './notifier.ts';

/** Settings that a teacher's link fixes. */
export interface LessonOptions {
  /** Name of a preset that replaces the lesson's own experiment. */
  preset?: string | null;
  seed?: number | null;
}

/** Parts of the page that a lesson controls. */
interface Page {
  readonly store: Store;
  readonly notifier: Notifier;
  readonly layout: Layout;
  readonly navigation: Navigation;
  readonly draft: Draft;
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

  /**
   * Opens the lesson of the address. Without one, the lesson that was open at the last visit continues, with the setup
   * unchanged.
   */
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

  /** Begins or continues a lesson: closes the run in focus and puts the lesson's experiment into the setup. */
  async open(id: string, options: LessonOptions = {}) {
    await this.load();
    const lesson = this.find(id);
    if (!lesson)
      return this.app.notifier.notify('warning', msg(str`There is no lesson “${id}”. Choose one from the list.`));
    this.options = options;
    if (isActive(this.state.status)) await this.app.pause();
    if (this.state.watching) await this.app.stopWatching();
    this.app.close();
    this.app.store.set({ played: nothingPlayed });
    this.follow(id);
    this.setUp(this.current(lesson)?.experiment ?? lesson.experiment);
    this.app.layout.openLearn('lessons');
    if (lesson.start.tab) this.app.navigation.select({ tab: lesson.start.tab });
  }

  close() {
    this.stop?.();
    this.stop = null;
    this.app.store.set({ lesson: null });
    this.keep();
  }

  /** The open lesson; null if none is open, or as long as the lessons are not loaded. */
  get opened(): Lesson | null {
    const { lesson } = this.state;
    return (lesson !== null && this.find(lesson)) || null;
  }

  /** First unfinished part; null if all are done. */
  current(lesson: Lesson): Part | null {
    const { done } = this.progressOf(lesson.id);
    return lesson.parts.find(({ id }) => !done.includes(id)) ?? null;
  }

  progressOf(id: string): LessonProgress {
    return this.state.progressOfLessons[id] ?? nothingDone;
  }

  /** Stores the answer to a question or to a part's question. The first answer counts; later ones change nothing. */
  answer(id: string, question: string, choice: number) {
    const { done, answers } = this.progressOf(id);
    if (answers[question] !== undefined) return;
    this.setProgress(id, { done, answers: { ...answers, [question]: choice } });
    this.look();
  }

  startAgain(id: string) {
    this.setProgress(id, nothingDone);
    return this.open(id, this.options);
  }

  go({ panel, tab, learn }: PartPlace) {
    const { layout, navigation } = this.app;
    if (learn) layout.openLearn(learn);
    layout.showPanel(panel);
    if (tab) navigation.select({ tab });
  }

  /** Puts an experiment into the setup; the next Train makes a run of it. */
  setUp(given: unknown) {
    const document = typeof given === 'function' ? given(lessonContext(this.state)) : given;
    if (document === undefined) return;
    const { preset, seed } = this.options;
    const named = this.state.presets.find(({ name }) => name === preset);
    const chosen: Experiment = structuredClone(named ?? parseExperiment(document));
    const experiment = seed === null || seed === undefined ? chosen : { ...chosen, seed };
    this.app.draft.use(experiment);
  }

  /** Starts another experiment; the run in focus stays in the list. */
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

  /** Marks the current part as done if it is, and checks the next one. */
  private look() {
    const lesson = this.opened;
    const part = lesson && this.current(lesson);
    if (!lesson || !part?.done(lessonContext(this.state))) return;
    const { done, answers } = this.progressOf(lesson.id);
    this.setProgress(lesson.id, { done: [...done, part.id], answers });
    const next = this.current(lesson);
    this.app.notifier.announce(
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
