/** Verdict on how one hostile case is opened. */
import { ggufCases } from './gguf.ts';
import { type Folder, openFolder } from './model-folder.ts';
import { templateCases } from './templates.ts';
import { besideTokenizer, tokenizerCases } from './tokenizers.ts';
import { adapterCases, configCases, safetensorsCases } from './weights.ts';

/** A folder to be opened, or a function that reads something itself. */
type Made = Folder | (() => void);
export type HostileCase = readonly [name: string, make: () => Made];

/** Cases by what they attack. */
export const hostileSets: { readonly [what: string]: () => Iterable<HostileCase> } = {
  tokenizers: tokenizerCases,
  'files beside a tokenizer': besideTokenizer,
  'chat templates': templateCases,
  configs: configCases,
  safetensors: safetensorsCases,
  GGUF: ggufCases,
  adapters: adapterCases,
};

/** Errors of the language: a refusal has a name of its own. */
const languageErrors = ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'InternalError'];
/** An engine's words inside a refusal: a value was used that nothing had checked. */
const engineWords =
  /is not a function|is not iterable|Cannot (?:read|use|destructure|convert)|BigInt|call stack|Invalid (?:array|string|typed|count)/;
const longestRefusal = 2000;

export interface HostileVerdict {
  verdict: 'refused' | 'opened' | 'unnamed';
  message: string;
  /** Time of the processor to open it: other work of the machine does not count. */
  ms: number;
}

export async function hostileVerdict(make: () => Made): Promise<HostileVerdict> {
  const made = make();
  const began = process.cpuUsage();
  const took = () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  };
  try {
    if (typeof made === 'function') made();
    else await openFolder(made);
    return { verdict: 'opened', message: '', ms: took() };
  } catch (error) {
    const { name, message } = error as Error;
    const isUnnamed = languageErrors.includes(name) || engineWords.test(message) || message.length > longestRefusal;
    const verdict = isUnnamed ? 'unnamed' : 'refused';
    return { verdict, message: `${name}: ${message}`, ms: took() };
  }
}
