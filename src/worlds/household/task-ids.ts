/** Ids of made tasks: the number of a house and a kind of task. */
import { type TaskKind, taskKinds } from './made/task-kinds.ts';

/** Room for kinds of tasks in an id: another kind changes no other task. */
const kindRoom = 16;
/** First house of the held-out tasks; all larger numbers are held out as well. */
export const firstHeldOut = 1_000_000;

export const taskId = (house: number, kind: TaskKind): number => house * kindRoom + taskKinds.indexOf(kind);

/** The house and the kind of an id; the kind is undefined if the id names none. */
export const partsOfId = (id: number): { house: number; kind: TaskKind | undefined } => ({
  house: Math.floor(id / kindRoom),
  kind: taskKinds[id % kindRoom],
});

/** Ids of tasks in `houses` held-out houses from number `first` on, house by house. */
export const heldOutIds = (kinds: readonly TaskKind[], first: number, houses: number): number[] =>
  Array.from({ length: houses }, (_, k) => firstHeldOut + first + k).flatMap((house) =>
    kinds.map((kind) => taskId(house, kind)),
  );
