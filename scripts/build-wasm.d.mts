/** Compiles the worlds and kernels whose sources are newer than their last build. */
export function buildWasm(): Promise<void>;
