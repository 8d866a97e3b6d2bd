/** Code editor (CodeMirror 6) in the page's colours, loaded when needed. Tab leaves it, as it leaves any field. */
import { defaultKeymap, history, historyKeymap, redo, redoDepth, undo, undoDepth } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { CodePlace } from '../../sandbox/errors.ts';

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--text-2)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.modifier], color: 'var(--series-4)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--series-2)' },
  { tag: [tags.string, tags.regexp], color: 'var(--series-3)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--series-1)' },
]);

const looks = EditorView.theme({
  '&': { height: '100%', fontSize: 'var(--size-m)', color: 'var(--text)', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface-2)', color: 'var(--text-2)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in oklab, var(--accent) 7%, transparent)' },
  '.cm-content ::selection': { backgroundColor: 'var(--accent-soft)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', borderColor: 'var(--line-strong)' },
});

export interface CodeViewOptions {
  parent: HTMLElement;
  root: ShadowRoot;
  text: string;
  label: string;
  /** Called when the text, or what can be undone, has changed. */
  changed(): void;
  /** Called on Ctrl+Enter or Cmd+Enter. */
  submit(): void;
}

export class CodeView {
  private readonly view: EditorView;

  constructor({ parent, root, text, label, changed, submit }: CodeViewOptions) {
    const extensions = [
      lineNumbers(),
      highlightSpecialChars(),
      highlightActiveLine(),
      history(),
      indentOnInput(),
      bracketMatching(),
      javascript(),
      syntaxHighlighting(colours),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) changed();
      }),
      keymap.of([
        {
          key: 'Mod-Enter',
          run: () => {
            submit();
            return true;
          },
        },
        ...historyKeymap,
        ...defaultKeymap,
      ]),
      looks,
    ];
    this.view = new EditorView({ parent, root, state: EditorState.create({ doc: text, extensions }) });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Replaces the text in a single change, which can be undone. */
  replace(text: string): void {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  get canUndo(): boolean {
    return undoDepth(this.view.state) > 0;
  }

  get canRedo(): boolean {
    return redoDepth(this.view.state) > 0;
  }

  undo(): void {
    undo(this.view);
  }

  redo(): void {
    redo(this.view);
  }

  focus(): void {
    this.view.focus();
  }

  /** Underlines from a place to the end of its line and scrolls it into view; null removes the underline. */
  mark(place: CodePlace | null, message = ''): void {
    const { doc } = this.view.state;
    if (!place || place.line > doc.lines) {
      this.view.dispatch(setDiagnostics(this.view.state, []));
      return;
    }
    const line = doc.line(place.line);
    const from = Math.min(line.from + place.column - 1, line.to);
    const marked = { from: from === line.to ? line.from : from, to: line.to, severity: 'error' as const, message };
    this.view.dispatch(setDiagnostics(this.view.state, [marked]));
    this.view.dispatch({
      selection: { anchor: marked.from },
      effects: EditorView.scrollIntoView(marked.from, { y: 'center' }),
    });
  }

  destroy(): void {
    this.view.destroy();
  }
}
