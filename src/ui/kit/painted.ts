/** Resolves in a task of its own after the next frame is painted. A hidden tab paints none. */
export const painted = () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
