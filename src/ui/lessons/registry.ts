/** All lessons, in teaching order. */

import type { Lesson } from '../state/lesson.ts';
import { agent } from './agent.ts';
import { chance } from './chance.ts';
import { clip } from './clip.ts';
import { curves } from './curves.ts';
import { distillation } from './distillation.ts';
import { firstRun } from './first-run.ts';
import { group } from './group.ts';
import { horizon } from './horizon.ts';
import { imitation } from './imitation.ts';
import { languageModel } from './language-model.ts';
import { modelLearns } from './model-learns.ts';
import { pastDemonstrations } from './past-demonstrations.ts';
import { policy } from './policy.ts';
import { practiseNext } from './practise-next.ts';
import { remember } from './remember.ts';
import { reward } from './reward.ts';
import { selfPlay } from './self-play.ts';
import { tools } from './tools.ts';

export const lessons: readonly Lesson[] = [
  agent,
  chance,
  policy,
  group,
  firstRun,
  curves,
  clip,
  horizon,
  imitation,
  reward,
  languageModel,
  modelLearns,
  pastDemonstrations,
  practiseNext,
  tools,
  selfPlay,
  distillation,
  remember,
];
