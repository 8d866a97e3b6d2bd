/** The suites of all worlds: fixed tasks by which policies are compared. */
import type { WorldModule } from '../envs/module.ts';
import type { Suite } from '../envs/suite.ts';
import { worldModules } from './registry.ts';

export interface FoundSuite {
  module: WorldModule;
  suite: Suite;
}

export const allSuites = (): FoundSuite[] =>
  worldModules.flatMap((module) => (module.suites ?? []).map((suite) => ({ module, suite })));
