/** The survey behind AgentGym's protocol. */
import { smallServerForm } from '../../../envs/serving/small-server.ts';

export const agentGymForm = smallServerForm('survey', 'Survey');
