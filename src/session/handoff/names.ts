/** The trainers a run can be handed to, as a page lists them: without what writes their files, which is loaded when it is asked for. */

export const handoffChoices = [
  { name: 'verl', label: 'verl' },
  { name: 'agentgym-rl', label: 'AgentGym-RL' },
  { name: 'trl', label: 'TRL' },
] as const;
