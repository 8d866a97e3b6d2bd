/**
 * Steps through each lesson by keys, from its list to its last question. Independent of the page's texts, so that any
 * language works.
 */
import { lessons } from '../../src/ui/lessons/registry.ts';
import { act, type Hands, isDone, NotReachedError, untilDone } from './hands.ts';

const bar = {
  train: 'tabgym-transport .buttons .train',
  step: 'tabgym-transport .buttons button:nth-child(2)',
  create: 'tabgym-transport .buttons button:last-child',
};

/** Buttons of the row at the bottom of a narrow page. A lesson may leave some out, so they have no fixed place. */
const narrow = { progress: 'tabgym-app nav [data-go=progress]', learn: 'tabgym-app nav [data-go=learn]' };

/** Opens the column Learn, from any focus. */
async function showLessons(hands: Hands) {
  await hands.press('Escape');
  if (!(await hands.count('tabgym-learn'))) {
    // On a wide page a key opens it; a text field would take the key as input.
    if (await hands.count(narrow.learn)) await act(hands, narrow.learn);
    else await hands.press('n');
  }
  await hands.until('tabgym-learn #panel');
  if (await hands.count('tabgym-learn #tab-cards[aria-selected=true]')) {
    await hands.reach('tabgym-learn #tab-cards');
    await hands.press('ArrowLeft');
  }
  await hands.until('tabgym-lessons');
}

async function begin(hands: Hands, lesson: string) {
  await showLessons(hands);
  if (await hands.count('tabgym-lessons [data-do=lessons-list]'))
    await act(hands, 'tabgym-lessons [data-do=lessons-list]');
  await hands.until(`[data-do="lesson-${lesson}"]`);
  await act(hands, `[data-do="lesson-${lesson}"]`);
  await hands.until('tabgym-lessons .part');
}

/** Follows the part's own button to the place it describes. */
async function goThere(hands: Hands) {
  await showLessons(hands);
  await act(hands, 'tabgym-lessons [data-do=where]');
}

/** Marks a choice of a question and answers. */
async function choose(hands: Hands, question: string, { length }: readonly unknown[], choice: number) {
  const group = `tabgym-lessons fieldset[data-question="${question}"]`;
  const chosen = `${group} label:nth-of-type(${choice + 1}) input:checked`;
  // Tab reaches the first of a group, Shift+Tab the last; arrow keys wrap around.
  await hands.reach(`${group} input`);
  for (let k = 0; k <= length && !(await hands.count(chosen)); k++) await hands.press(k ? 'ArrowDown' : 'Space');
  await hands.until(chosen, 5000);
  await act(hands, `${group} [data-do=answer]`);
}

/** Gives the right answer to both questions. */
async function answer(hands: Hands, id: string) {
  await showLessons(hands);
  await hands.until('tabgym-lessons fieldset');
  for (const { id: question, choices } of lessons.find((each) => each.id === id)!.questions)
    await choose(
      hands,
      question,
      choices,
      Math.max(
        0,
        choices.findIndex(({ right }) => right),
      ),
    );
  await hands.until('tabgym-lessons .finished', 5000);
}

/** Trains until a part is done. The setup of the previous part may still be loading. */
async function train(hands: Hands, lesson: string, part: string, ms?: number) {
  await hands.until(`${bar.train}:not(:disabled)`);
  await act(hands, bar.train);
  await untilDone(hands, lesson, part, ms);
}

/** Waits until the lesson has put its next experiment into the setup, and no run is in focus. */
const freshSetup = (hands: Hands) => hands.until('tabgym-welcome button.primary:not(:disabled)', 60_000);

const oneLine = (text: string) => text.replace(/\s+/g, ' ');

/** Actions that reach the goal: the ingredients of its command, then the command. */
function planOf(observation: string): string[] {
  const goal = /Goal: craft ([^.]+)\./.exec(oneLine(observation))?.[1];
  const command = observation
    .split('\n')
    .find((line) => goal && new RegExp(`^craft \\d+ ${goal} using `).test(line.trim()))
    ?.trim();
  if (!command) throw new NotReachedError(`No command crafts the goal in: ${observation}`);
  const needs = command.split(' using ')[1].split(', ');
  return [...needs.map((each) => `get ${each}`), command];
}

async function say(hands: Hands, action: string) {
  await hands.until('tabgym-play #action');
  const before = await hands.count('tabgym-play .said .you');
  await hands.reach('tabgym-play #action');
  await hands.type(action);
  await hands.press('Enter');
  for (let k = 0; k < 100 && (await hands.count('tabgym-play .said .you')) <= before; k++) await hands.pause(50);
}

async function playToWin(hands: Hands) {
  for (let task = 0; task < 8; task++) {
    await hands.until('tabgym-play .said');
    for (const action of planOf(await hands.text('tabgym-play .said'))) await say(hands, action);
    if (await isDone(hands, 'agent', 'win')) return;
    await act(hands, 'tabgym-play form.head button');
    await hands.pause(400);
  }
  throw new NotReachedError('No goal of eight was reached.');
}

async function agent(hands: Hands) {
  await goThere(hands);
  await act(hands, 'tabgym-play form.head button');
  await playToWin(hands);
  await act(hands, 'tabgym-play form.head button');
  await hands.pause(500);
  await say(hands, planOf(await hands.text('tabgym-play .said')).at(-1)!);
  await untilDone(hands, 'agent', 'refused');
  await goThere(hands);
  await act(hands, bar.create);
  await hands.until('tabgym-watch form.task button');
  await act(hands, 'tabgym-watch form.task button');
  await untilDone(hands, 'agent', 'watch');
}

const slider = '[role=slider]';

async function chance(hands: Hands) {
  await act(hands, bar.step);
  await untilDone(hands, 'chance', 'step');
  await goThere(hands);
  await act(hands, slider, 'ArrowLeft');
  await untilDone(hands, 'chance', 'lines');
  await showLessons(hands);
  await act(hands, 'tabgym-lessons [data-do=help]');
  await hands.until(`${bar.step}:not(:disabled)`);
  await act(hands, bar.step);
  await untilDone(hands, 'chance', 'turns');
}

/** Walks along the tokens of the policy, episode by episode, until a part is done. */
async function walkTokens(hands: Hands, lesson: string, part: string) {
  for (let episode = 0; episode < 8; episode++) {
    await hands.until('tabgym-trajectory .segment.policy .stream');
    const stretches = await hands.count('tabgym-trajectory .segment.policy .stream');
    for (let k = 0; k < stretches; k++) {
      await hands.reach(`tabgym-trajectory .turn:nth-of-type(${k + 2}) .segment.policy .stream`);
      const tokens = await hands.count(`tabgym-trajectory .turn:nth-of-type(${k + 2}) .segment.policy [role=option]`);
      for (let token = 0; token < tokens; token++) {
        await hands.press('ArrowRight');
        if (await isDone(hands, lesson, part)) return;
      }
    }
    await hands.press(']');
  }
  throw new NotReachedError(`No token of eight episodes did for “${part}”.`);
}

async function policy(hands: Hands) {
  await act(hands, bar.step);
  await hands.until(`${bar.step}:not(:disabled)`);
  await goThere(hands);
  await untilDone(hands, 'policy', 'open');
  for (const part of ['token', 'surprise', 'forced']) await walkTokens(hands, 'policy', part);
  await chooseToken(hands);
  await goThere(hands);
  await untilDone(hands, 'policy', 'card');
}

/** Selects a token that had a choice. */
async function chooseToken(hands: Hands) {
  const chosen = 'tabgym-trajectory .t.p:not(.forced)[aria-selected=true]';
  await hands.press('t');
  await hands.until('tabgym-trajectory .segment.policy .stream');
  await hands.reach('tabgym-trajectory .segment.policy .stream');
  for (let k = 0; k < 40 && !(await hands.count(chosen)); k++) await hands.press(k < 20 ? 'ArrowRight' : 'ArrowLeft');
  await hands.until(chosen, 3000);
}

async function group(hands: Hands) {
  await act(hands, bar.step);
  await untilDone(hands, 'group', 'step');
  await goThere(hands);
  await hands.press('g');
  await hands.until('tabgym-group .grid button');
  const rows = await hands.count('tabgym-group .grid button');
  for (let k = 0; k < rows && !(await isDone(hands, 'group', 'signal')); k++)
    await act(hands, `tabgym-group .grid button:nth-child(${k + 1})`);
  await untilDone(hands, 'group', 'signal', 2000);
  await act(hands, 'tabgym-group .episode:has(.number.good)');
  await untilDone(hands, 'group', 'better');
  await chooseToken(hands);
  await goThere(hands);
  await act(hands, 'tabgym-learn [data-do=look-inside]');
  await untilDone(hands, 'group', 'why');
  await act(hands, 'tabgym-learn [data-do=slow-update]');
  await untilDone(hands, 'group', 'update');
}

async function firstRun(hands: Hands) {
  await train(hands, 'first-run', 'train');
  await untilDone(hands, 'first-run', 'above', 240_000);
  await untilDone(hands, 'first-run', 'held-out', 240_000);
  await goThere(hands);
  await hands.press('w');
  if (!(await hands.count('tabgym-watch form.task button'))) await act(hands, bar.train);
  await hands.until('tabgym-watch form.task button', 60_000);
  await act(hands, 'tabgym-watch form.task button');
  await untilDone(hands, 'first-run', 'watch');
}

const threeRuns = (id: string, parts: readonly string[]) => async (hands: Hands) => {
  for (const part of parts) {
    await hands.press('w');
    await freshSetup(hands);
    await train(hands, id, part, 240_000);
  }
};

async function horizon(hands: Hands) {
  await choose(hands, 'predict', [0, 1, 2], 0);
  await untilDone(hands, 'horizon', 'predict');
  await train(hands, 'horizon', 'sweep', 400_000);
  await goThere(hands);
  await act(hands, slider, 'ArrowLeft');
  // A click on the chart alone is no comparison.
  if (await isDone(hands, 'horizon', 'compare')) throw new NotReachedError('“compare” was done without an answer.');
  await showLessons(hands);
  await choose(hands, 'compare', [0, 1, 2], 1);
  await untilDone(hands, 'horizon', 'compare');
  await act(hands, 'tabgym-lessons [data-do=help]');
  await hands.until('tabgym-group .episode');
  await hands.press('g');
  await hands.until('tabgym-group .episode');
  const episodes = await hands.count('tabgym-group .episode');
  for (let k = 1; k <= episodes && !(await isDone(hands, 'horizon', 'long')); k++) {
    await hands.press('g');
    await hands.until('tabgym-group .episode');
    await act(hands, `tabgym-group .episode:nth-child(${k})`);
    await hands.pause(400);
  }
  await untilDone(hands, 'horizon', 'long', 3000);
}

async function imitation(hands: Hands) {
  await train(hands, 'imitation', 'listen', 240_000);
  await showLessons(hands);
  await hands.press('Escape');
  if (await hands.count(narrow.progress)) await act(hands, narrow.progress);
  await act(hands, slider, 'Home');
  await goThere(hands);
  await untilDone(hands, 'imitation', 'cards');
  await untilDone(hands, 'imitation', 'reinforce', 240_000);
}

async function pastDemonstrations(hands: Hands) {
  await train(hands, 'past-demonstrations', 'imitate', 240_000);
  await untilDone(hands, 'past-demonstrations', 'reward', 240_000);
  await goThere(hands);
  await act(hands, slider, 'ArrowLeft');
  await untilDone(hands, 'past-demonstrations', 'signal');
}

async function practiseNext(hands: Hands) {
  await choose(hands, 'predict', [0, 1, 2, 3], 2);
  await untilDone(hands, 'practise-next', 'predict');
  await train(hands, 'practise-next', 'train', 240_000);
  await goThere(hands);
  await act(hands, 'tabgym-goals .tile:nth-child(3)');
  await untilDone(hands, 'practise-next', 'read');
}

/** Chooses a tool of the form, types its argument, and sends the call. */
async function callTool(hands: Hands, tool: string, argument: string) {
  const form = 'tabgym-tools-view form';
  await hands.until(form);
  await hands.reach(`${form} select`);
  await hands.press('Home');
  for (let k = 0; k < 30 && !(await hands.count(`${form} select[data-tool="${tool}"]`)); k++)
    await hands.press('ArrowDown');
  const before = await hands.count('tabgym-play .said .you');
  await hands.reach(`${form} input`);
  await hands.type(argument);
  await hands.press('Enter');
  for (let k = 0; k < 100 && (await hands.count('tabgym-play .said .you')) <= before; k++) await hands.pause(50);
}

/** Text after the last call. */
const lastAnswer = (said: string) => oneLine(said.split('> Action:').at(-1)!.split('}').slice(1).join('}')).trim();

/** Answers a question about a film: finds its id, lists its crew or its cast, and reads the name. */
async function answerByTools(hands: Hands) {
  const said = 'tabgym-play .said';
  const goal = oneLine(await hands.text('tabgym-tools-view .goal strong'));
  const title = /(?:the film|named first, in) (.+?)\? Answer/.exec(goal)?.[1];
  if (!title) throw new NotReachedError(`No film in: ${goal}`);
  await callTool(hands, 'get_search_movie', title);
  const id = /(\d+)$/.exec(lastAnswer(await hands.text(said)))?.[1];
  const job = [/directed/, /wrote/, /produced/].findIndex((each) => each.test(goal));
  await callTool(hands, job < 0 ? 'get_movie_cast' : 'get_movie_crew', id!);
  const credits = lastAnswer(await hands.text(said)).split(' ; ');
  const credit =
    job < 0 ? credits[0] : credits.find((each) => each.startsWith(['Director', 'Writer', 'Producer'][job]));
  // A credit is the job or the character, the name of two words, and the id.
  await callTool(hands, 'finish', credit!.split(' ').slice(-3, -1).join(' '));
}

/** Opens a successful episode of the step, in the first group that has one. */
async function openSuccess(hands: Hands) {
  const success = 'tabgym-group .episode:has(.badge.good)';
  await hands.press('g');
  await hands.until('tabgym-group .episode');
  for (let group = 1; group < 16 && !(await hands.count(success)); group++) {
    await hands.press('}');
    await hands.pause(200);
  }
  await act(hands, success);
}

async function tools(hands: Hands) {
  await goThere(hands);
  await act(hands, 'tabgym-play form.head button');
  await hands.until('tabgym-tools-view form');
  await callTool(hands, 'get_movie_crew', '999');
  await answerByTools(hands);
  for (const part of ['call', 'refused', 'finish']) await untilDone(hands, 'tools', part);
  await train(hands, 'tools', 'train', 900_000);
  await goThere(hands);
  await act(hands, slider, 'ArrowLeft');
  await openSuccess(hands);
  await untilDone(hands, 'tools', 'read');
}

async function languageModel(hands: Hands) {
  await act(hands, 'tabgym-lessons [data-do=help]');
  await untilDone(hands, 'language-model', 'open');
  await goThere(hands);
  await act(hands, slider, 'Home');
  await untilDone(hands, 'language-model', 'start');
  await goThere(hands);
  await hands.press('f');
  await hands.press('g');
  await hands.until('tabgym-group .episode');
  await act(hands, 'tabgym-group .episode');
  await untilDone(hands, 'language-model', 'read');
  await showLessons(hands);
  await goThere(hands).catch(() => {});
  if (!(await isDone(hands, 'language-model', 'result'))) await act(hands, slider, 'End');
  await untilDone(hands, 'language-model', 'result');
}

async function reward(hands: Hands) {
  await train(hands, 'reward', 'pay', 240_000);
  await goThere(hands);
  await untilDone(hands, 'reward', 'look');
  await train(hands, 'reward', 'mended', 240_000);
}

async function selfPlay(hands: Hands) {
  await goThere(hands);
  for (let game = 0; game < 4 && !(await isDone(hands, 'self-play', 'play')); game++) {
    await act(hands, 'tabgym-play form.head button');
    await hands.pause(400);
    await say(hands, /the other bets/.test(await hands.text('tabgym-play .said')) ? 'fold' : 'check');
  }
  await showLessons(hands);
  await untilDone(hands, 'self-play', 'play');
  await choose(hands, 'predict', [0, 1, 2], 1);
  await untilDone(hands, 'self-play', 'predict');
  await train(hands, 'self-play', 'train', 400_000);
  await hands.press('w');
  await freshSetup(hands);
  await train(hands, 'self-play', 'momentum', 400_000);
}

/** Opens the first episode of the step that did not succeed. */
async function openFailure(hands: Hands) {
  const failure = 'tabgym-group .episode:not(:has(.badge.good))';
  await hands.press('g');
  await hands.until('tabgym-group .episode');
  for (let group = 1; group < 16 && !(await hands.count(failure)); group++) {
    await hands.press('}');
    await hands.pause(200);
  }
  await act(hands, failure);
}

async function distillation(hands: Hands) {
  await choose(hands, 'predict', [0, 1, 2], 1);
  await untilDone(hands, 'teacher', 'predict');
  await train(hands, 'teacher', 'sweep', 600_000);
  await showLessons(hands);
  await act(hands, 'tabgym-lessons [data-do=help]');
  await goThere(hands);
  await openFailure(hands);
  await untilDone(hands, 'teacher', 'failed');
}

async function remember(hands: Hands) {
  await choose(hands, 'predict', [0, 1, 2], 1);
  await untilDone(hands, 'remember', 'predict');
  await hands.until(`${bar.train}:not(:disabled)`);
  await act(hands, bar.train);
  await act(hands, 'tabgym-code-question button.primary');
  await untilDone(hands, 'remember', 'sweep', 400_000);
  await showLessons(hands);
  await act(hands, 'tabgym-lessons [data-do=help]');
  await hands.press('g');
  await hands.until('tabgym-group .episode');
  await act(hands, 'tabgym-group .episode');
  await act(hands, 'tabgym-trajectory #turn-3 h3 button');
  await untilDone(hands, 'remember', 'read');
}

const drives: { readonly [lesson: string]: (hands: Hands) => Promise<void> } = {
  agent,
  chance,
  policy,
  group,
  'first-run': firstRun,
  curves: threeRuns('curves', ['no-signal', 'collapse', 'heart']),
  clip: threeRuns('clip', ['clip', 'wide', 'kl']),
  horizon,
  imitation,
  reward,
  'language-model': languageModel,
  'past-demonstrations': pastDemonstrations,
  'practise-next': practiseNext,
  tools,
  'self-play': selfPlay,
  teacher: distillation,
  remember,
};

/** Drives a lesson from the list to its final message. `at` is called at the beginning and at the end. */
export async function driveLesson(
  hands: Hands,
  id: string,
  at: (where: 'begin' | 'end') => Promise<void> = async () => {},
) {
  await begin(hands, id);
  await at('begin');
  await drives[id](hands);
  await answer(hands, id);
  await at('end');
}
