// codeEditor returns an editor for a text, in a box to be put into a page. changed is
// called after each change of the reader's, run for ctrl-Enter.
const codeEditor = ({ label, language, text, changed = () => { }, run = () => false }) => {
  const { EditorState, EditorView, StateEffect, StateField, Decoration, WidgetType, keymap, tags } = codemirror;

  // What is wrong stands below its line, in words.
  const words = (text) => Object.assign(new WidgetType(), {
    eq: () => false,
    toDOM: () => element("div", { className: "code-wrong", textContent: text }),
  });
  const marking = StateEffect.define();
  const marks = StateField.define({
    create: () => Decoration.none,
    update(before, change) {
      const marked = change.effects.find((one) => one.is(marking));
      return marked ? marked.value : before.map(change.changes);
    },
    provide: (field) => EditorView.decorations.from(field),
  });

  const colours = codemirror.HighlightStyle.define([
    { tag: [tags.comment], color: "var(--muted)", fontStyle: "italic" },
    { tag: [tags.keyword, tags.definition(tags.propertyName)], color: "var(--accent-2)" },
    { tag: [tags.string, tags.number, tags.bool, tags.null], color: "var(--string)" },
  ]);
  const look = EditorView.theme({
    "&": { border: "1px solid var(--rule)", backgroundColor: "var(--paper)", color: "var(--ink)", fontSize: ".8125rem" },
    "&.cm-focused": { outline: "2px solid var(--accent-2)", outlineOffset: "-1px" },
    ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", maxHeight: "70vh", overflow: "auto" },
    ".cm-content": { caretColor: "var(--ink)" },
    ".cm-cursor": { borderLeftColor: "var(--ink)" },
    ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--muted)", border: "0" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--mark)" },
    ".code-wrong": { color: "var(--accent)", whiteSpace: "pre-wrap", boxShadow: "inset 3px 0 var(--accent)", padding: "0 1ch", contain: "inline-size" },
  });
  const unit = { go: "\t", yaml: "  " }[language] ?? "  ";
  const stateOf = (label, text) => EditorState.create({
    doc: text,
    extensions: [
      marks, look, codemirror.lineNumbers(), codemirror.history(), codemirror.drawSelection(), codemirror.indentOnInput(), codemirror.bracketMatching(),
      codemirror.indentUnit.of(unit), EditorState.tabSize.of(4), codemirror.syntaxHighlighting(colours), codemirror[language]?.() ?? [],
      EditorView.contentAttributes.of({ "aria-label": label, autocapitalize: "off", tabindex: "0" }),
      keymap.of([{ key: "Mod-Enter", run: () => { run(); return true; } }, codemirror.indentWithTab, ...codemirror.defaultKeymap, ...codemirror.historyKeymap]),
      EditorView.updateListener.of((change) => { if (change.docChanged) changed(); }),
    ],
  });
  const view = new EditorView({ state: stateOf(label, text) });
  return {
    box: view.dom,
    text: () => view.state.doc.toString(),
    focus: () => view.focus(),
    // open takes another text in place of the one that was edited.
    open(label, text) { view.setState(stateOf(label, text)); },
    // replace puts another text in the place of this one, as a change that can be undone.
    replace(text) {
      const now = view.state.doc.toString();
      let from = 0, to = now.length, end = text.length;
      while (from < to && now[from] === text[from]) from++;
      while (to > from && end > from && now[to - 1] === text[end - 1]) { to--; end--; }
      if (now !== text) view.dispatch({ changes: { from, to, insert: text.slice(from, end) } });
    },
    // seek puts the cursor where a word stands first, and shows its line. The page stays
    // where its reader is.
    seek(word) {
      const anchor = view.state.doc.toString().indexOf(word);
      if (anchor < 0) return;
      view.dispatch({ selection: { anchor } });
      view.requestMeasure({
        read: () => view.lineBlockAt(anchor).top - view.scrollDOM.clientHeight / 2,
        write: (top) => { view.scrollDOM.scrollTop = top; },
      });
    },
    // mark shows what is wrong below the lines where it is, and takes away what was
    // shown before. Lines count from 1.
    mark(wrong) {
      const { doc } = view.state;
      const all = wrong.flatMap(({ line, message }) => {
        const { to } = doc.line(Math.max(1, Math.min(line, doc.lines)));
        return Decoration.widget({ widget: words(message), block: true, side: 1 }).range(to);
      });
      view.dispatch({ effects: marking.of(Decoration.set(all, true)) });
      if (all.length) view.dispatch({ effects: EditorView.scrollIntoView(all[0].from, { y: "nearest" }) });
    },
  };
};
