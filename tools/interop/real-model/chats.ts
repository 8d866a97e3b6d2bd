/** Chats of one and two turns, with and without a system message, about everyday questions and the worlds' texts. */
import type { ChatMessage } from '../../../src/policy/text/chat-template.ts';

const questions = [
  'What is the capital of Iceland?',
  'Write a short poem about a river in winter.',
  'Explain photosynthesis to a ten-year-old.',
  'How many legs do three spiders have together?',
  'Translate "good morning" into French, Spanish and German.',
  'List five fruits that are yellow.',
  'Goal: craft oak planks. You have 1 oak log. What do you do next?',
  'You are in a room with a red ball, a blue key and a closed door. Your goal is to pick up the blue key.',
  'The word has five letters. My guess "crane" got: grey, yellow, grey, grey, green. What should I guess?',
  'def area(r):\n    return 3.14159 * r ** 2\n\nWhat does this function do?',
  'Name the planets from the sun outwards.',
  'What is 17 + 25? Answer with the number alone.',
  'Summarise: the cat sat on the mat because the floor was cold and the fire was near.',
  'Which is heavier, a kilogram of feathers or a kilogram of iron?',
  'Give me a recipe for pancakes with 2 eggs, 250 ml of milk and 125 g of flour.',
  'Was ist der Unterschied zwischen Wetter und Klima?',
  'Rewrite in the past tense: she runs to school and sees her friends.',
  'At position 3, 4 with walls to the left and above, the goal is at 1, 4. Move up, down, left or right?',
  'Who wrote "Pride and Prejudice"?',
  'Is 91 a prime number? Explain.',
  'A train leaves at 09:40 and arrives at 12:05. How long does it travel?',
  'What colour do blue and yellow paint make?',
  'Describe the water cycle in three sentences.',
  'Which animal is known as the ship of the desert?',
  'Write a polite e-mail that declines an invitation.',
];

const system = { role: 'system', content: 'You answer briefly and exactly.' } as const;
const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });

/** Chat `i`: one turn for the first 25, then two turns; every other chat has a system message of its own. */
function chat(i: number): ChatMessage[] {
  const question = questions[i % questions.length];
  const opening = i % 2 ? [system] : [];
  if (i < questions.length) return [...opening, user(question)];
  const next = questions[(7 * i + 3) % questions.length];
  return [...opening, user(next), assistant('I am not sure, but I will try.'), user(question)];
}

export const chatsToCompare = (count: number): ChatMessage[][] => Array.from({ length: count }, (_, i) => chat(i));
