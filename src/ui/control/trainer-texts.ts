/**
 * Translations of sentences that arrive from the trainer in English: its notices, and why a run stopped. Loaded where
 * the page has another language. What a sentence quotes, such as a driver's reason, stays as it is.
 */
import { msg, str } from '@lit/localize';
import { episodeCount, tokenCount } from '../kit/counts.ts';

/** A sentence as the trainer writes it, with `{}` for each value, and its translation. */
export type Sentence = readonly [english: string, translate: (...values: string[]) => string];

export const sentences: readonly Sentence[] = [
  [
    'Step {} was not committed: after its update {}. The run stays at step {} and can repeat the step. Fork it there with a lower optimizer.learningRate or with optimizer.maxGradNorm.',
    (step, problem, before) =>
      msg(
        str`Step ${step} was not committed: after its update ${problem}. The run stays at step ${before} and can repeat the step. Fork it there with a lower optimizer.learningRate or with optimizer.maxGradNorm.`,
      ),
  ],
  [
    'The weights of step {} cannot be used: {}. ',
    (step, problem) => msg(str`The weights of step ${step} cannot be used: ${problem}. `),
  ],
  [
    'No earlier checkpoint of this run is finite: start a new run.',
    () => msg('No earlier checkpoint of this run is finite: start a new run.'),
  ],
  [
    'Step {} is the last good one: fork the run there (in the page under Runs; npm run train with --fork-at {}).',
    (step, same) =>
      msg(
        str`Step ${step} is the last good one: fork the run there (in the page under Runs; npm run train with --fork-at ${same}).`,
      ),
  ],
  ['Step {} has no checkpoint. ', (step) => msg(str`Step ${step} has no checkpoint. `)],
  ['These have one: {}.', (steps) => msg(str`These have one: ${steps}.`)],
  [
    'No step of this run has one: export it again, with its checkpoints.',
    () => msg('No step of this run has one: export it again, with its checkpoints.'),
  ],
  [
    'Another tab has this run. Take it over to train or change it here.',
    () => msg('Another tab has this run. Take it over to train or change it here.'),
  ],
  ['The opening was canceled.', () => msg('The opening was canceled.')],
  ['The import of {} was canceled.', (name) => msg(str`The import of ${name} was canceled.`)],
  [
    'This file of {} bytes is not a complete zip: it was cut short, damaged, or has another format ({}). Export it again.',
    (size, reason) =>
      msg(
        str`This file of ${size} bytes is not a complete zip: it was cut short, damaged, or has another format (${reason}). Export it again.`,
      ),
  ],
  [
    'This file is a sweep and not one run. Unpack it as a zip: each of its runs is a file in runs, such as runs/01.tabgym.',
    () =>
      msg(
        'This file is a sweep and not one run. Unpack it as a zip: each of its runs is a file in runs, such as runs/01.tabgym.',
      ),
  ],
  [
    'This zip is not a Tabgym run: it has no tabgym.json.',
    () => msg('This zip is not a Tabgym run: it has no tabgym.json.'),
  ],
  [
    'Parts of this run are not what its list says: {}. ',
    (parts) => msg(str`Parts of this run are not what its list says: ${parts}. `),
  ],
  ['Export the run again, or open only what is whole.', () => msg('Export the run again, or open only what is whole.')],
  ['Export the run again.', () => msg('Export the run again.')],
  [
    'Language models cannot be kept here: this browser has no private file system.',
    () => msg('Language models cannot be kept here: this browser has no private file system.'),
  ],
  [
    'The world stopped: {}. Start another task.',
    (reason) => msg(str`The world stopped: ${reason}. Start another task.`),
  ],
  [
    '{} asks for pauses, such as {}, which are kept: ',
    (model, pause) => msg(str`${model} asks for pauses, such as ${pause}, which are kept: `),
  ],
  [
    '{} refuses empty messages: an empty reply is sent back to it as "{}".',
    (model, text) => msg(str`${model} refuses empty messages: an empty reply is sent back to it as "${text}".`),
  ],
  ['The GPU device was lost ({}): ', (reason) => msg(str`The GPU device was lost (${reason}): `)],
  ['The WebAssembly device was lost: ', () => msg('The WebAssembly device was lost: ')],
  ["Tabgym's worker stopped: ", () => msg("Tabgym's worker stopped: ")],
  [
    ' Reload the page; the run continues from its last step.',
    () => msg(' Reload the page; the run continues from its last step.'),
  ],
  ['This page stood still for {} s.', (seconds) => msg(str`This page stood still for ${seconds} s.`)],
  [' Continuing from the last committed step.', () => msg(' Continuing from the last committed step.')],
  [' Nothing was lost.', () => msg(' Nothing was lost.')],
  [
    'WebGPU is available but found no adapter: the graphics driver is missing, blocked or too old. Choose the processor, update the driver or try another browser; chrome://gpu shows the reason.',
    () =>
      msg(
        'WebGPU is available but found no adapter: the graphics driver is missing, blocked or too old. Choose the processor, update the driver or try another browser; chrome://gpu shows the reason.',
      ),
  ],
  [
    'The device was lost {} times without a step between ({}). All committed steps are kept. Close other tabs that use the GPU, or choose another device, a smaller policy or a smaller batch; then train again.',
    (times, reason) =>
      msg(
        str`The device was lost ${times} times without a step between (${reason}). All committed steps are kept. Close other tabs that use the GPU, or choose another device, a smaller policy or a smaller batch; then train again.`,
      ),
  ],
  [
    'This run was computed on {} and continues on {}: the last digits may differ.',
    (from, to) => msg(str`This run was computed on ${from} and continues on ${to}: the last digits may differ.`),
  ],
  ['Step {} is kept without its evaluation. ', (step) => msg(str`Step ${step} is kept without its evaluation. `)],
  ['Step {}: ', (step) => msg(str`Step ${step}: `)],
  ['Evaluation on training goals: ', () => msg('Evaluation on training goals: ')],
  ['Evaluation on held-out goals: ', () => msg('Evaluation on held-out goals: ')],
  [
    '{} failed in {} of {} episodes, which are not counted.',
    (what, failed, all) =>
      msg(str`${what} failed in ${failed} of ${episodeCount(Number(all))}, which are not counted.`),
  ],
  [
    'No episode of the evaluation on training goals fits into its tokens.',
    () => msg('No episode of the evaluation on training goals fits into its tokens.'),
  ],
  [
    'No episode of the evaluation on held-out goals fits into its tokens.',
    () => msg('No episode of the evaluation on held-out goals fits into its tokens.'),
  ],
  ['No episode of step 1 fits into its tokens.', () => msg('No episode of step 1 fits into its tokens.')],
  ['No episode of this step fits into its tokens.', () => msg('No episode of this step fits into its tokens.')],
  [
    'A prompt has {} tokens, and sampling.promptTokens is {}: choose at least {}.',
    (longest, bound, least) =>
      msg(
        str`A prompt has ${tokenCount(Number(longest))}, and sampling.promptTokens is ${bound}: choose at least ${least}.`,
      ),
  ],
  [
    'sampling.completionTokens is {}, for all turns of an episode: choose more, or fewer turns.',
    (bound) =>
      msg(str`sampling.completionTokens is ${bound}, for all turns of an episode: choose more, or fewer turns.`),
  ],
  [
    '{} could not be stored ({}). No stored data is lost. Try again; if that fails too, restart the browser, or export the run to a file.',
    (size, reason) =>
      msg(
        str`${size} could not be stored (${reason}). No stored data is lost. Try again; if that fails too, restart the browser, or export the run to a file.`,
      ),
  ],
  [' ({} of {} are used)', (usage, quota) => msg(str` (${usage} of ${quota} are used)`)],
  ['There is no space to store {}. ', (size) => msg(str`There is no space to store ${size}. `)],
  [
    'No stored data is lost. Free some space: delete runs and empty the bin, or export this run to a file; then continue.',
    () =>
      msg(
        'No stored data is lost. Free some space: delete runs and empty the bin, or export this run to a file; then continue.',
      ),
  ],
  [
    'This browser does not let the page store anything: export what you want to keep before you close the page, or allow this site to store data and reload it.',
    () =>
      msg(
        'This browser does not let the page store anything: export what you want to keep before you close the page, or allow this site to store data and reload it.',
      ),
  ],
  [
    'The runs stored here were written by a newer version of this page. They stay as they are: reload the page with a network. Until then runs are lost when the page is closed.',
    () =>
      msg(
        'The runs stored here were written by a newer version of this page. They stay as they are: reload the page with a network. Until then runs are lost when the page is closed.',
      ),
  ],
  [
    'The runs stored here cannot be opened ({}). They stay as they are, and runs are lost when the page is closed.',
    (reason) =>
      msg(
        str`The runs stored here cannot be opened (${reason}). They stay as they are, and runs are lost when the page is closed.`,
      ),
  ],
  [
    'Stored runs that cannot be read and are not listed: {}. The others are unaffected.',
    (count) => msg(str`Stored runs that cannot be read and are not listed: ${count}. The others are unaffected.`),
  ],
];

/** The message with the sentence translated, if it contains it. */
function withSentence(message: string, [english, translate]: Sentence): string {
  const [first, ...others] = english.split('{}');
  const from = message.indexOf(first);
  if (from < 0) return message;
  const values: string[] = [];
  let at = from + first.length;
  for (const part of others) {
    const end = message.indexOf(part, at);
    if (end < 0) return message;
    values.push(message.slice(at, end));
    at = end + part.length;
  }
  return message.slice(0, from) + translate(...values) + message.slice(at);
}

export const translated = (message: string): string => sentences.reduce(withSentence, message);
