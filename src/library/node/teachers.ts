/** Policies that teach an experiment, on Node: given files, or agents that the repository ships. */
import type { Experiment } from '../../experiment/experiment.ts';
import { withTeachers } from '../../session/service/teacher-files.ts';
import { shippedAgent } from './shipped-agents.ts';

/** The document with the hashes of its teachers, and their copies as assets of its run. */
export const withTeacherFiles = (experiment: Experiment, given: ReadonlyMap<string, Uint8Array>) =>
  withTeachers(experiment, async (name) => given.get(name) ?? shippedAgent(name));
