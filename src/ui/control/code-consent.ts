/**
 * Consent to run the code of an experiment. Code that was typed or read on this page is allowed for the visit, by its
 * hash; any other code may have come with a file, so the person is asked first.
 */

import { type CustomCode, customCodeOf } from '../../experiment/custom-code.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { codeHash } from '../../sandbox/code-hash.ts';
import { remember } from '../kit/remember.ts';
import type { LazyParts } from './lazy-parts.ts';

const key = 'tabgym.code-allowed';

const known = (): Set<string> => new Set(JSON.parse(sessionStorage.getItem(key) ?? '[]') as string[]);

export class CodeConsent {
  /** `changed`: called after more code was allowed. */
  constructor(
    private readonly question: LazyParts['askAboutCode'],
    private readonly changed: () => Promise<void> = async () => {},
  ) {}

  /** Hashes of the allowed code. */
  get allowed(): string[] {
    return [...known()];
  }

  async isAllowed(code: string): Promise<boolean> {
    return known().has(await codeHash(code));
  }

  async allow(code: string): Promise<void> {
    remember(key, JSON.stringify([...known().add(await codeHash(code))]), sessionStorage);
    await this.changed();
  }

  /**
   * Returns true without asking if all code of the experiment is allowed already, or if it has none. `beside`:
   * experiments that run together with it in a sweep.
   */
  async ask(experiment: Experiment, beside: readonly Experiment[] = []): Promise<boolean> {
    const allowed = known();
    const carried: CustomCode[] = [];
    for (const each of [experiment, ...beside].flatMap(customCodeOf)) {
      const asked = carried.some(({ code }) => code === each.code);
      if (!asked && !allowed.has(await codeHash(each.code))) carried.push(each);
    }
    if (!carried.length) return true;
    const may = await this.question(experiment, carried);
    if (may) for (const { code } of carried) await this.allow(code);
    return may;
  }
}
