/** AgentGym's environment of a family, in a process of Python (`play.py`). Its requests go to the service of the task. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Json } from '../../../src/envs/env.ts';
import type { Service } from './services.ts';

export interface Judged {
  answer: [observation: string, reward: number, done: boolean];
  /** True if a tool of a sheet failed, whose text is the service's. */
  failed: boolean;
  /** True if the input held a set, whose order depends on Python's hashes. */
  set?: boolean;
  /** True if the input was an expression, which only the original evaluates. */
  expression?: boolean;
}

export class Upstream {
  private readonly lines: AsyncIterator<string>;
  private service: Service | null = null;

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    this.lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  static open(python: string, here: string, checkout: string, family: string): Upstream {
    const child = spawn(python, [join(here, 'play.py'), checkout, family], {
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
    child.stderr.pipe(process.stderr);
    return new Upstream(child);
  }

  async begin(task: { [field: string]: Json }, service: Service | null): Promise<void> {
    this.service = service;
    await this.send({ begin: task });
  }

  async act(action: string): Promise<Judged> {
    return (await this.send({ act: action })) as unknown as Judged;
  }

  /** Sends a message, and answers requests until the reply comes. */
  private async send(message: { [field: string]: Json }): Promise<{ [field: string]: Json }> {
    this.write(message);
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) throw new Error('The original has ended: its output is above.');
      const read = JSON.parse(value);
      if (!('ask' in read)) return read;
      if (!this.service) throw new Error(`No service for ${value}`);
      this.write(this.service(read.ask) as unknown as Json);
    }
  }

  private write(message: Json): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.child.stdin.end();
    await once(this.child, 'exit');
  }
}
