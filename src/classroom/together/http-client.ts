/** Calls of a class's server over HTTP, from a page or from Node. */
import type { Experiment } from '../../experiment/experiment.ts';
import type { SharedClient } from './contribute.ts';
import type { Work } from './shared-training.ts';
import { arrived } from './silence.ts';

/** The server refused a call. `type` is the refusal's name; empty: no class is served at this address. */
export class ClassRefused extends Error {
  override name = 'ClassRefused';
  constructor(
    message: string,
    readonly type: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export class ClassHttp {
  /** `base`: address of the page, with its final slash. */
  constructor(
    readonly base: string,
    readonly code: string,
    private readonly key: string | null = null,
  ) {}

  private async request(path: string, body?: object): Promise<Response> {
    const response = await arrived(
      fetch(new URL(`class/${path}`, this.base), {
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${this.code}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(this.key && { 'x-teacher-key': this.key }),
        },
        ...(body && { body: JSON.stringify(body) }),
        cache: 'no-store',
      }),
    );
    if (response.ok) return response;
    const refusal = await response.json().catch(() => ({}));
    throw new ClassRefused(String(refusal.detail ?? response.status), String(refusal.type ?? ''), response.status);
  }

  async call<T>(path: string, body?: object): Promise<T> {
    const response = await this.request(path, body);
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    if (!isJson) throw new ClassRefused('No class is served at this address.', '', 404);
    return (await arrived(response.json())) as T;
  }

  /** Experiment that the class trains together. */
  training = () => this.call<{ experiment: Experiment }>('training');

  /** A member's calls while it plays for the trainer. */
  sharedBy(secret: string): SharedClient {
    return {
      work: () => this.call<Work>('work', { secret }),
      weights: async (version) => {
        try {
          const response = await this.request(`weights/${version}`);
          return new Uint8Array(await arrived(response.arrayBuffer()));
        } catch (error) {
          if (error instanceof ClassRefused && error.type === 'OtherVersion') return null;
          throw error;
        }
      },
      deliver: (delivery) => this.call('episodes', { secret, ...delivery }),
    };
  }
}
