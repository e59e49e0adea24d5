// What the book's editor uses of CodeMirror.
export { EditorState, StateEffect, StateField } from "@codemirror/state";
export { Decoration, EditorView, WidgetType, drawSelection, keymap, lineNumbers } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
export { yaml } from "@codemirror/lang-yaml";
export { go } from "@codemirror/lang-go";
export { tags } from "@lezer/highlight";
