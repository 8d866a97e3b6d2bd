/** Documents of older forms, as this form writes them: a run that was recorded must open and go on as it trained. */
import { upgradedAlgorithm } from '../rl/algorithms/registry.ts';

/** The same document in today's form; what is no older form comes back as it is. */
export function upgraded(document: unknown): unknown {
  if (typeof document !== 'object' || document === null || !('algorithm' in document)) return document;
  const stages =
    'stages' in document && Array.isArray(document.stages) ? { stages: document.stages.map(upgradedStage) } : {};
  return { ...document, algorithm: upgradedAlgorithm(document.algorithm), ...stages };
}

const upgradedStage = (stage: unknown): unknown =>
  typeof stage === 'object' && stage !== null && 'algorithm' in stage
    ? { ...stage, algorithm: upgradedAlgorithm(stage.algorithm) }
    : stage;
