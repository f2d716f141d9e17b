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

export async function complete(component) {
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
  editor.dispatch({ effects: CM.StateEffect.appendConfig.of(data) });
  keepCursorInView(CM, editor);
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

// Put the cursor on a line, and show it.
export function jump(component, number, column) {
  const editor = component?.editor;
  if (!editor) return;
  const line = editor.state.doc.line(Math.min(Math.max(number, 1), editor.state.doc.lines));
  const anchor = Math.min(line.from + Math.max(column - 1, 0), line.to);
  editor.dispatch({ selection: { anchor }, scrollIntoView: true });
  editor.focus();
}
