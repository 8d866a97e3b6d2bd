/** Bargaining behind AgentGym's protocol: a session takes one seat, the world's own opponent the other. */
import { smallServerForm } from '../../envs/serving/small-server.ts';

export const agentGymForm = smallServerForm('bargain', 'Bargaining');
