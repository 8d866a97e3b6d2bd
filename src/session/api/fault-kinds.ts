/**
 * Kinds of errors of OpenAI-compatible servers: the conversation is too long, the prompt is filtered, the account is
 * empty, a field is refused, or the request should be repeated later. Recognized by code where there is one, and by the
 * texts that OpenAI, vLLM, SGLang, llama.cpp, LM Studio, Ollama, TGI, Mistral, OpenRouter, Groq, Gemini and Anthropic's
 * compatible endpoints send. tests/session/api-servers.test.ts has one example of each.
 */
import type { Fault } from './fault.ts';

/** Fields of a request that can be left out. */
export type OptionalField = 'temperature' | 'max_tokens' | 'max_completion_tokens' | 'seed';

const noRoomCodes =
  /^(context_length_exceeded|exceed_context_size_error|context_window_exceeded|model_context_window_exceeded|string_above_max_length|prompt_too_long|request_too_large)$/i;
const noRoomTexts = [
  /context[ _-]?(length|window|size|limit)|context the overflow|context overflow|\bn_ctx\b/i,
  /max(imum)?[ _](allowed[ _])?(model|prompt|input|sequence)[ _]len(gth)?|max_model_len|maximum allowed length/i,
  /\b(prompt|inputs?|conversation|messages?)( (is|are|was|were|text|length|size|tokens?|token count))*( \([^)]*\))?( is| are)? (too (long|large|big)|longer than|larger than|exceeds?)\b/i,
  /exceed(s|ed)?[^.\n]{0,30}\b(token limit|maximum number of tokens)|too many (input |prompt )?tokens\b/i,
  /`?inputs`? (tokens \+|must have less than)|max_tokens must be at least 1, got -?\d/i,
  /reduce (the length of|your prompt)|range of input length|must be reduced in order to run|request too large/i,
  /上下文|超长/,
];
/** Errors of rate limits mention tokens, too. Only a request that stays too large after any pause has no room. */
const rateTexts = /per (min|minute|day|hour|second)\b|rate.?limit|\b[tr]p[md]\b/i;
const neverFits = /request too large|must be reduced in order to run/i;

/** Statuses of the key, the account and the address: their texts are not about the conversation. */
const aboutAccess = new Set([401, 402, 403, 404]);

export function hasNoRoom({ status, codes, text }: Fault): boolean {
  if (aboutAccess.has(status)) return false;
  if (status === 413 || codes.some((code) => noRoomCodes.test(code))) return true;
  if (status === 429 || rateTexts.test(text)) return neverFits.test(text);
  return noRoomTexts.some((pattern) => pattern.test(text));
}

const filterCodes = /content_filter|content_policy|ResponsibleAIPolicyViolation|data_inspection_failed|moderation/i;
const filterTexts = /content management policy|content policy|content exists risk|was flagged|inappropriate content/i;

/** The server's filter refuses the conversation. */
export const isFiltered = ({ status, codes, text }: Fault): boolean =>
  (status === 400 || status === 403) && (codes.some((code) => filterCodes.test(code)) || filterTexts.test(text));

const accountCodes = /insufficient_quota|billing|insufficient_credits|access_terminated|account_deactivated/i;

/** No pause helps: the account has no credit. Gemini writes of a quota at its limits of a minute, too. */
export const lacksCredit = ({ status, codes, text }: Fault): boolean =>
  status === 402 ||
  codes.some((code) => accountCodes.test(code)) ||
  (/exceeded your current quota|insufficient balance/i.test(text) && !codes.includes('RESOURCE_EXHAUSTED'));

const unsupportedCodes = /unsupported|unknown_(parameter|field)|extra_forbidden|unexpected_keyword/i;
const unsupportedTexts =
  /unsupported|(not|n't) (be )?(supported|permitted|allowed|accepted|recogni[sz]ed|implemented|available)|unrecogni[sz]ed|unknown|unexpected|extra (inputs?|fields?|propert)|additional propert|does not (support|accept)|cannot find field|no such|deprecated|cannot (both )?be (specified|used|set)/i;
const valueTexts =
  /must be|should be|less than|greater than|at (most|least)|between|range|too (large|small|high|low)|out of|exceed|positive/i;

/** The field's name as a word of its own, or in quotes. */
const names = (text: string, field: string) => new RegExp(`(?<![\\w.])${field}(?!\\w)`).test(text);

export interface RefusedFields {
  fields: OptionalField[];
  /** The server supports the field and refuses its value. */
  value: boolean;
}

/** The fields that an error refuses, among those that were sent; null: none. */
export function refusedFields(fault: Fault, sent: readonly OptionalField[]): RefusedFields | null {
  const { status, codes, text } = fault;
  if (aboutAccess.has(status) || status === 429) return null;
  const unsupported = codes.some((code) => unsupportedCodes.test(code)) || unsupportedTexts.test(text);
  const named = sent.filter((field) => fault.fields.includes(field));
  const fields = named.length || !(unsupported || valueTexts.test(text)) ? named : sent.filter((f) => names(text, f));
  if (fields.length === 0) return null;
  return { fields, value: !unsupported && valueTexts.test(text) };
}

/** True if the same request may succeed later. OpenAI's own clients repeat the same statuses. */
export function mayPass({ status }: Fault, headers: Headers): boolean {
  const asked = headers.get('x-should-retry');
  if (asked === 'true' || asked === 'false') return asked === 'true';
  // An answer with status 200 and an error without a status.
  if (status === 0) return true;
  return [408, 409, 425, 429].includes(status) || (status >= 500 && status !== 501 && status !== 505);
}

/** Advice after a failure that a further request would repeat. */
export function remedyFor({ status }: Fault): string {
  if (status === 401 || status === 403) return 'Check the key.';
  if (status === 404 || status === 405) return "Check the address and the model's name.";
  if (status === 429) return 'Try again later, with the same settings.';
  if (status >= 500 || status === 0) return "Check the server, and the model's name.";
  return "Check the address, the model's name and the key.";
}
