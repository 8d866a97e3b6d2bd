/**
 * Tries of valid actions. An action is encoded once, a list becomes a trie once, and rows whose worlds offer the same
 * list share it. The caches never change a result.
 */
import { type NumberedActions, numberedActions } from '../../envs/transport/action-lists.ts';
import { type ActionTrie, SequenceTrie } from '../../policy/text/trie.ts';
import type { Conversation } from './conversation.ts';

/** Lists kept in the cache: a group shares its list, and most worlds never change it. */
const mostLists = 1024;
/** Nodes of the shared trie (110 to 170 bytes each) above which the trie is rebuilt from empty: some 30 MB. */
const mostNodes = 200_000;

class ActionLists {
  private readonly lists = new Map<string, ActionTrie>();
  /**
   * Tries by array, for lists that never change: worlds in a worker send the same list as the same array
   * (envs/transport/action-lists.ts).
   */
  private readonly byArray = new WeakMap<readonly string[], ActionTrie>();
  /** Index of an action's tokens in the trie. */
  private readonly actions = new Map<string, number>();
  /** The same index by the numbers that a world's worker gave its actions: 0 if unknown, else the index plus one. */
  private byNumber = new WeakMap<readonly string[], Int32Array<ArrayBuffer>>();
  private trie = new SequenceTrie();

  constructor(private readonly conversation: Conversation) {}

  get(actions: readonly string[]): ActionTrie {
    if (!Object.isFrozen(actions)) return this.byTexts(actions);
    const trie = this.byArray.get(actions) ?? this.make(actions);
    this.byArray.set(actions, trie);
    return trie;
  }

  private byTexts(actions: readonly string[]): ActionTrie {
    const key = actions.join('\n');
    const known = this.lists.get(key);
    if (known) return known;
    const trie = this.make(actions);
    if (this.lists.size >= mostLists) this.lists.clear();
    this.lists.set(key, trie);
    return trie;
  }

  private make(actions: readonly string[]): ActionTrie {
    if (this.trie.size > mostNodes) this.forget();
    const numbered = numberedActions(actions);
    const listed = numbered ? this.listedByNumber(numbered) : actions.map((action) => this.listed(action));
    return this.trie.select(listed);
  }

  private listedByNumber({ actions, numbers }: NumberedActions): Int32Array {
    let known = this.byNumber.get(actions);
    if (!known || known.length < actions.length) {
      const larger = new Int32Array(2 * actions.length);
      larger.set(known ?? []);
      this.byNumber.set(actions, larger);
      known = larger;
    }
    const listed = new Int32Array(numbers.length);
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i];
      if (known[number] === 0) known[number] = this.listed(actions[number]) + 1;
      listed[i] = known[number] - 1;
    }
    return listed;
  }

  private listed(action: string): number {
    const known = this.actions.get(action);
    if (known !== undefined) return known;
    const listed = this.trie.add(this.conversation.action(action));
    this.actions.set(action, listed);
    return listed;
  }

  private forget(): void {
    this.actions.clear();
    this.byNumber = new WeakMap();
    this.trie = new SequenceTrie();
  }
}

const known = new WeakMap<Conversation, ActionLists>();

/** Trie of a list of actions, encoded as the conversation writes them. */
export function trieOf(actions: readonly string[], conversation: Conversation): ActionTrie {
  const lists = known.get(conversation) ?? new ActionLists(conversation);
  known.set(conversation, lists);
  return lists.get(actions);
}
