/** Oracles of a batch of TextCraft's worlds. Each records all actions of its slot and can give advice at any turn. */
import type { Advice } from '../../envs/env.ts';
import { ListWorld } from './made-up.ts';
import { CraftTeacher } from './oracle.ts';
import { type RecipeList, readRecipeList } from './recipe-list.ts';

/** Record of the episode in a slot. */
interface Told {
  text: string;
  /** Seed of the oracle's choices between equally cheap ways. */
  seed: number;
  done: { action: string; valid: boolean }[];
  /** Created at the first request. */
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

  /** Thought and action for the current turn, or null if the oracle finds no way. */
  next(slot: number): Advice | null {
    const told = this.slots.get(slot);
    return (told && this.teacherOf(told)?.next()) ?? null;
  }

  /** The slot's oracle; a new one first replays the actions so far. */
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

  /**
   * All remaining actions of a new oracle, played on the list from the current state; null if they do not reach the
   * goal.
   */
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
