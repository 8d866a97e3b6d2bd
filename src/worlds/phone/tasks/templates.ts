/** All templates. A template's place in this list is part of its tasks' ids, so that new ones come last. */
import { complex } from './complex.ts';
import { exception } from './exception.ts';
import { fromScreens } from './from-screen.ts';
import { instruction } from './instruction.ts';
import { routine } from './routine.ts';
import type { Template } from './template.ts';

/** Room of a column in the ids of tasks: a new template of a column changes no other task. */
const columnRoom = 64;

const columns = [[...routine, fromScreens.goal], [...instruction, fromScreens.tap], complex, exception];

/** A template with its number, which never changes. */
export interface Numbered {
  number: number;
  template: Template;
}

export const templates: readonly Numbered[] = columns.flatMap((list, column) =>
  list.map((template, k) => ({ number: column * columnRoom + k, template })),
);

/** Room for templates in a task's id. */
export const templateRoom = columns.length * columnRoom;
