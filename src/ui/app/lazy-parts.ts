/** Parts that the controller loads when they are first used. */
import type { LazyParts } from '../control/lazy-parts.ts';

export const lazyParts: LazyParts = {
  openClient: async (search) => (await import('./open-client.ts')).openClient(search),
  askAboutCode: async ({ name }, carried) => {
    const { TabgymCodeQuestion } = await import('../panels/code-question.ts');
    return Object.assign(new TabgymCodeQuestion(), { name, carried }).ask();
  },
  importRun: async (...file) => (await import('../panels/import-progress.ts')).importRun(...file),
  showOpening: async (name, open) => {
    const progress = await import('../panels/import-progress.ts').catch(() => null);
    // A run opens without it too.
    return progress ? progress.showOpening(name, open) : open(() => undefined);
  },
  loadShareDialog: () => import('../panels/share.ts'),
  openGrader: async () => (await import('./grading-client.ts')).openGrader(),
  loadComparison: () => import('../charts/compare-runs.ts'),
  loadLessons: async () => (await import('../lessons/registry.ts')).lessons,
  openContributor: async () => (await import('./contribution-client.ts')).openContributor(),
  rejoinClass: async (page) => (await import('../classroom/membership.ts')).rejoin(page),
  reportRun: async (...run) => (await import('../charts/run-report.ts')).pageReport(...run),
};
