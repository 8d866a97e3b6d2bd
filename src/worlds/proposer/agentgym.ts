/** Proposer and solver behind AgentGym's protocol: a session takes one seat, the world's own player the other. */
import { smallServerForm } from '../../envs/serving/small-server.ts';

export const agentGymForm = smallServerForm('proposer', 'Proposer and solver');
