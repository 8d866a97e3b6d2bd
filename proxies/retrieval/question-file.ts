/** Reads the file of questions that the configuration names. */
import { readFileSync } from 'node:fs';
import type { SourceQuestion } from '../../src/corpus/question.ts';
import { readQuestions } from '../../src/corpus/records.ts';
import { ConfigError } from '../config.ts';

/** Throws `ConfigError` if the file cannot be read or contains no question. */
export function readQuestionFile(file: string): SourceQuestion[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`retrieval.questions: ${file} cannot be read: ${(error as Error).message}`);
  }
  const { questions } = readQuestions(text);
  if (!questions.length) throw new ConfigError(`retrieval.questions: ${file} contains no question with an answer.`);
  return questions;
}
