/**
 * Library of skills: short sequences of actions that reached a part of a task, offered later as one action. One skill a
 * world for each last action, the shortest; a full library gives up the one that is used least.
 */
import type { Texts } from '../common/note-list.ts';
import type { Trajectory } from '../episode/trajectory.ts';

const name = 'goals.skills';

/** Minimum and maximum number of actions of a skill. */
const least = 2;
const most = 5;

export interface Skill {
  world: string;
  actions: readonly string[];
  /** Step in which it was learnt. */
  since: number;
  /** Turns that took it, and those in episodes that succeeded. */
  uses: number;
  wins: number;
}

/** Text of a skill among the valid actions: its last action after a sign that every tiny vocabulary has as one token. */
export const skillText = ({ actions }: Pick<Skill, 'actions'>): string => `* ${actions[actions.length - 1]}`;

/** Skills among the texts of a policy. */
export const skillsIn = (texts: Texts): Skill[] => JSON.parse(texts.get(name) ?? '[]') as Skill[];

export class Skills {
  private skills: Skill[] = [];
  private taken = { turns: 0, skills: 0 };

  constructor(
    private readonly settings: { skills: number },
    private readonly texts: Texts,
  ) {}

  get all(): readonly Skill[] {
    return this.skills;
  }

  /** Share of the step's turns that took a skill. */
  get share(): number {
    return this.taken.skills / Math.max(1, this.taken.turns);
  }

  begin(): void {
    this.skills = skillsIn(this.texts);
    this.taken = { turns: 0, skills: 0 };
  }

  /** Counts the uses in a step's episodes. */
  observe(trajectories: readonly Trajectory[]): void {
    if (this.settings.skills === 0) return;
    for (const { task, turns, success } of trajectories)
      for (const { action } of turns) {
        this.taken.turns++;
        const skill = this.find(task.world, action);
        if (!skill) continue;
        this.taken.skills++;
        skill.uses++;
        if (success) skill.wins++;
      }
  }

  /** Learns the actions of an episode that reached a part, if they are few enough. */
  learn({ task: { world }, turns }: Trajectory, step: number): void {
    if (this.settings.skills === 0) return;
    const actions = turns
      .filter(({ valid }) => valid)
      .flatMap(({ action }) => this.find(world, action)?.actions ?? [action]);
    if (actions.length < least || actions.length > most) return;
    const known = this.find(world, skillText({ actions }));
    if (known && known.actions.length <= actions.length) return;
    if (known) known.actions = actions;
    else this.skills.push({ world, actions, since: step, uses: 0, wins: 0 });
    if (this.skills.length > this.settings.skills) this.prune(step);
  }

  commit(): void {
    if (this.settings.skills > 0) this.texts.set(name, JSON.stringify(this.skills));
  }

  private find(world: string, action: string): Skill | undefined {
    return this.skills.find((each) => each.world === world && skillText(each) === action);
  }

  /** The newest skill is kept: it could not be used yet. */
  private prune(step: number): void {
    const rate = ({ uses, since }: Skill) => uses / (1 + step - since);
    const older = this.skills.slice(0, -1);
    const leastUsed = older.reduce((worst, each) => (rate(each) < rate(worst) ? each : worst));
    this.skills = this.skills.filter((each) => each !== leastUsed);
  }
}
