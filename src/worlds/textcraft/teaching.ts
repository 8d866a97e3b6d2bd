/** The teachers of a batch of TextCraft's worlds: each is told what was done in its slot, by whomever, and may be asked at any turn. */
import type { Advice } from '../../envs/env.ts';
import { ListWorld } from './made-up.ts';
import { type RecipeList, readRecipeList } from './recipe-list.ts';
import { CraftTeacher } from './teacher.ts';

/** What has been done in a slot. */
interface Told {
  text: string;
  /** Of the teacher's choices among equals. */
  seed: number;
  done: { action: string; valid: boolean }[];
  /** Made when it is first asked. */
  teacher: CraftTeacher | null;
}

const mostPlanned = 60;

export class Teaching {
  private readonly slots = new Map<number, Told>();

  begin(slot: number, text: string, seed: number): void {
    this.slots.set(slot, { text, seed, done: [], teacher: null });
  }

  note(slot: number, action: string, valid: boolean): void {
    const told = this.slots.get(slot);
    told?.done.push({ action, valid });
    told?.teacher?.note(action, valid);
  }

  /** What to think and do now; null: no way is known. */
  next(slot: number): Advice | null {
    const told = this.slots.get(slot);
    return (told && this.teacherOf(told)?.next()) ?? null;
  }

  /** One that comes after the first action has been told of all before it. */
  private teacherOf(told: Told): CraftTeacher | null {
    if (told.teacher) return told.teacher;
    const list = readRecipeList(told.text);
    if (!list) return null;
    told.teacher = new CraftTeacher(list, told.seed);
    for (const { action, valid } of told.done) {
      told.teacher.next();
      told.teacher.note(action, valid);
    }
    return told.teacher;
  }

  /** All that a teacher who knows nothing of what was done would do from here, played on the list; null: it does not reach the goal. */
  plan(slot: number, list: RecipeList): string[] | null {
    const told = this.slots.get(slot);
    if (!told) return null;
    const world = new ListWorld(list);
    for (const { action } of told.done) world.step(action);
    const teacher = new CraftTeacher(list, told.seed);
    const plan: string[] = [];
    for (let lesson = teacher.next(); lesson && plan.length < mostPlanned; lesson = teacher.next()) {
      const { valid, done } = world.step(lesson.action);
      plan.push(lesson.action);
      if (done) return plan;
      teacher.note(lesson.action, valid);
    }
    return null;
  }
}
