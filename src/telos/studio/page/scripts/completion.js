// Completion for the model editor: CodeMirror asks here, and the page's Python answers.
//
// The editor of NiceGUI completes by the words of its language alone. Its own source is added to the running editor as
// language data, which is where CodeMirror's completion looks; the answer comes back through `telosCompleted`.

const PATIENCE_MS = 1500;
const waiting = new Map();
let asked = 0;

window.telosCompleted = (number, options) => {
  waiting.get(number)?.(options);
  waiting.delete(number);
};

function answerOf(component, state, position) {
  const line = state.doc.lineAt(position);
  const number = ++asked;
  const answer = new Promise((resolve) => {
    waiting.set(number, resolve);
    setTimeout(() => window.telosCompleted(number, []), PATIENCE_MS); // a server that is gone must not hang the editor
  });
  component.$emit("complete", { number, line: line.number, column: position - line.from + 1 });
  return answer;
}

export async function complete(component, most) {
  const CM = await import("nicegui-codemirror");
  const editor = component?.editor ?? (await component?.editorPromise);
  if (!editor) return; // another game is shown by now
  const source = async (context) => {
    const word = context.matchBefore(/[\w.\-]*/);
    if (!context.explicit && word.from === word.to) return null;
    const options = await answerOf(component, context.state, context.pos);
    return options.length ? { from: word.from, options, validFor: /^[\w.\-]*$/ } : null;
  };
  const data = CM.EditorState.languageData.of(() => [{ autocomplete: source }]);
  const limit = holdBackLargeTexts(CM, component, most);
  editor.dispatch({ effects: CM.StateEffect.appendConfig.of([data, limit]) });
  const named = CM.EditorView.contentAttributes.of({ "aria-label": "The text of the model", tabindex: "0" });
  editor.dispatch({ effects: CM.StateEffect.appendConfig.of(named) });
  component.heldBack = false; // from now on it may be
  keepCursorInView(CM, editor);
}

// A text of megabytes is more than a message to the server may hold, and the connection would end. It is not sent, only
// its size is; when it has been shortened, it is sent as a whole.
function holdBackLargeTexts(CM, component, most) {
  return CM.EditorState.transactionExtender.of((transaction) => {
    if (!transaction.docChanged) return null;
    const size = transaction.newDoc.length;
    if (size > most && (component.emitting || component.heldBack)) {
      component.heldBack = true;
      component.emitting = false; // NiceGUI sends no change while this is false
      component.$emit("large", size);
    } else if (component.heldBack) {
      component.heldBack = false;
      const text = transaction.newDoc.toString();
      setTimeout(() => {
        component.emitting = true;
        component.$emit("shortened", text);
      });
    }
    return null;
  });
}

// Show another text in place of one that was held back.
export function replace(component, text) {
  const editor = component?.editor;
  if (!editor) return;
  component.heldBack = component.emitting = false;
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  component.emitting = true;
}

// The list of faults takes room from the editor as one types: the line that is typed in, and what is offered for it,
// must not slip out of view for that.
function keepCursorInView(CM, editor) {
  const follow = () => {
    if (!editor.hasFocus) return;
    const { head } = editor.state.selection.main;
    editor.dispatch({ effects: CM.EditorView.scrollIntoView(head, { y: "nearest", x: "nearest", yMargin: 24 }) });
  };
  new ResizeObserver(follow).observe(editor.dom);
}

// Put the cursor on a line, and show it in the middle, as soon as the editor is visible and has that line: another text
// may still be on its way to it.
export async function jump(component, number, column, expected = null) {
  const CM = await import("nicegui-codemirror");
  const editor = component?.editor ?? (await component?.editorPromise);
  if (!editor) return;
  const isReady = () =>
    editor.dom.offsetHeight > 0 &&
    (expected === null || (number <= editor.state.doc.lines && editor.state.doc.line(number).text === expected));
  for (let tries = 0; tries < 60 && !isReady(); tries++) await new Promise((done) => setTimeout(done, 25));
  const line = editor.state.doc.line(Math.min(Math.max(number, 1), editor.state.doc.lines));
  const anchor = Math.min(line.from + Math.max(column - 1, 0), line.to);
  const effects = CM.EditorView.scrollIntoView(anchor, { y: expected === null ? "nearest" : "center" });
  editor.dispatch({ selection: { anchor }, effects });
  editor.focus();
}
