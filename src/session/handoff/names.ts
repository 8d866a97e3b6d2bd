/**
 * Names of the trainers that a run can be handed to, for the page's list. The code that writes their files is loaded on
 * demand.
 */

export const handoffChoices = [
  { name: 'verl', label: 'verl' },
  { name: 'agentgym-rl', label: 'AgentGym-RL' },
  { name: 'trl', label: 'TRL' },
  { name: 'trl-tools', label: 'TRL (environment_factory)' },
] as const;
