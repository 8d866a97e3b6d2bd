/** Converts documents of older forms to the present one: a recorded run must open and continue as it trained. */
import { upgradedAlgorithm } from '../rl/algorithms/registry.ts';

/** The document in the present form. A document in another form is returned unchanged. */
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
