/** The phone behind AgentGym's protocol. */
import { smallServerForm } from '../../envs/serving/small-server.ts';

export const agentGymForm = smallServerForm('phone', 'Phone');
