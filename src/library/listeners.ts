/** Listeners by the type of their event. */
export class Listeners<Events extends object> {
  private readonly all = new Map<keyof Events, Set<(value: never) => void>>();

  /** Returns a function that removes the listener. */
  add<Type extends keyof Events>(type: Type, listener: (value: Events[Type]) => void): () => void {
    const own = this.all.get(type) ?? new Set();
    this.all.set(type, own.add(listener));
    return () => void own.delete(listener);
  }

  send<Type extends keyof Events>(type: Type, value: Events[Type]): void {
    for (const listener of [...(this.all.get(type) ?? [])]) (listener as (value: Events[Type]) => void)(value);
  }
}
