/** Oracles of a batch of TextCraft's worlds. Each records all actions of its slot and can give advice at any turn. */
import type { Advice } from '../../envs/env.ts';
import { ListWorld } from './made-up.ts';
import { CraftOracle } from './oracle.ts';
import { type RecipeList, readRecipeList } from './recipe-list.ts';

/** Record of the episode in a slot. */
interface EpisodeRecord {
  text: string;
  done: { action: string; valid: boolean }[];
  /** Created at the first request. */
  oracle: CraftOracle | null;
}

const maxPlanLength = 60;

export class SlotOracles {
  private readonly slots = new Map<number, EpisodeRecord>();

  begin(slot: number, text: string): void {
    this.slots.set(slot, { text, done: [], oracle: null });
  }

  record(slot: number, action: string, valid: boolean): void {
    const record = this.slots.get(slot);
    record?.done.push({ action, valid });
    record?.oracle?.record(action, valid);
  }

  /** Thought and action for the current turn, or null if the oracle finds no way. */
  next(slot: number): Advice | null {
    const record = this.slots.get(slot);
    return (record && this.oracleOf(record)?.next()) ?? null;
  }

  /** The slot's oracle; a new one first replays the actions so far. */
  private oracleOf(record: EpisodeRecord): CraftOracle | null {
    if (record.oracle) return record.oracle;
    const list = readRecipeList(record.text);
    if (!list) return null;
    record.oracle = new CraftOracle(list);
    for (const { action, valid } of record.done) {
      record.oracle.next();
      record.oracle.record(action, valid);
    }
    return record.oracle;
  }

  /**
   * All remaining actions of a new oracle, played on the list from the current state; null if they do not reach the
   * goal.
   */
  plan(slot: number, list: RecipeList): string[] | null {
    const record = this.slots.get(slot);
    if (!record) return null;
    const world = new ListWorld(list);
    for (const { action } of record.done) world.step(action);
    const oracle = new CraftOracle(list);
    const plan: string[] = [];
    for (let advice = oracle.next(); advice && plan.length < maxPlanLength; advice = oracle.next()) {
      const { valid, done } = world.step(advice.action);
      plan.push(advice.action);
      if (done) return plan;
      oracle.record(advice.action, valid);
    }
    return null;
  }
}
