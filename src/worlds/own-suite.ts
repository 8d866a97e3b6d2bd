/** Name and texts of the suite of a run's own held-out tasks, beside those of the worlds. */
export const ownSuiteTexts = {
  name: 'own',
  label: 'Held-out tasks of its own experiment',
  sentence: 'Held-out tasks of the worlds and options that it trained on.',
} as const;
