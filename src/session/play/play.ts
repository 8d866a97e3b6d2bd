/** Play by hand: one task at a time, in a world separate from training. Independent of policies and the GPU. */
import { type Feedback, promptRulesOf, type Task, validActionsAfter, type World, WorldError } from '../../envs/env.ts';
import { taskAt } from '../../rl/schedule/tasks.ts';
import type { PlayFrame, PlayStart } from '../protocol.ts';

export class HandPlay {
  private readonly open = new Map<string, Promise<World>>();
  private world: World | null = null;
  private task: Task | null = null;
  private actions: readonly string[] | null = null;

  constructor(private readonly openWorld: (name: string) => Promise<World>) {}

  async reset({ name, options, split, index }: PlayStart): Promise<PlayFrame> {
    const world = await this.worldOf(name);
    const tasks = await world.tasks(options, split);
    const task = taskAt(tasks, index);
    if (!task) throw new WorldError(`There is no such task under these options: widen them.`);
    const [feedback] = await world.reset([0], [task]);
    this.world = world;
    this.task = task;
    this.actions = null;
    return this.frame(world, feedback);
  }

  async step(action: string): Promise<PlayFrame> {
    if (!this.world) throw new WorldError('No task has begun: start one first.');
    const [feedback] = await this.world.step([0], [action]);
    return this.frame(this.world, feedback);
  }

  private async frame(world: World, feedback: Feedback): Promise<PlayFrame> {
    const { observation, reward, done, valid, failure } = feedback;
    if (failure) throw new WorldError(`The world stopped: ${failure}. Start another task.`);
    this.actions = validActionsAfter(this.actions, feedback);
    const task = this.task!;
    const success = done && reward >= promptRulesOf(world.describe(), task).successReward;
    return {
      task,
      observation,
      reward,
      done,
      valid,
      success,
      actions: done ? [] : this.actions && [...this.actions],
      view: await world.view(0),
    };
  }

  private worldOf(name: string): Promise<World> {
    const open = this.open.get(name) ?? this.openWorld(name);
    this.open.set(name, open);
    open.catch(() => this.open.delete(name));
    return open;
  }

  /** Closes the world; its next task starts in a newly opened one. */
  async forget(name: string): Promise<void> {
    const world = this.open.get(name);
    this.open.delete(name);
    await (await world)?.close();
  }

  async close(): Promise<void> {
    for (const world of this.open.values()) await (await world).close();
  }
}
