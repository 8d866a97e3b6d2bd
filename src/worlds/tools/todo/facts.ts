/** Facts of the to-do family. */
import { creditOf, type Facts } from '../facts.ts';
import { namesField, size, toolsOptions } from '../options.ts';
import { todoTools } from './tools.ts';

export const todoFacts: Facts = {
  name: 'tools-todo',
  server: 'todo',
  tools: todoTools,
  title: 'Tools: to-do',
  summary: 'Look after a to-do list with tools: find, change, complete and delete tasks, and answer questions.',
  plain: 'An agent learns to look after a to-do list by calling tools.',
  does: "look after a person's to-do list",
  credit: creditOf('AgentBoard (arXiv 2401.13178)'),
  options: toolsOptions('Tools: to-do', {
    projects: size(2, 8, 5, {
      label: 'Projects',
      sentence: 'Number of projects of an account: with more projects there is more to search.',
      unit: 'projects',
    }),
    tasks: size(2, 8, 4, {
      label: 'Tasks a project',
      sentence: 'Maximum number of tasks of a project.',
      unit: 'tasks',
    }),
    names: namesField,
  }),
  observationTokens: 240,
  oracleTurns: 6,
};
