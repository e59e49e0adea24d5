// Package codemirror has the editor for code that a page opens for its reader:
// CodeMirror, as npm has it, in one file that bundle.sh makes and the book carries, so
// that no build fetches anything.
//
// A page that has element.js and load.js (all have) asks for it so:
//
//	await load("code.js");
//	const code = codeEditor({ label: "queue.go", language: "go", text, changed, run });
//	place.append(code.box);
//	code.text();                                     // what is in it
//	code.open("other.go", otherText);                // another text in its place
//	code.replace(formatted);                         // likewise, as a change that can be undone
//	code.mark([{ line: 3, message: "undefined: x" }]); // in words, below line 3; [] for none
//
// language is go or yaml; anything else has no colours. changed is called after each
// change, run when the reader presses ctrl-Enter. Tab indents; Escape, then Tab, leaves
// (CodeMirror's own way out, which the page has to say).
//
// In reading order: codemirror.go (what a site gets of it), code.js (the editor, in the
// book's colours), bundle.mjs (what it uses of CodeMirror), bundle.sh, package.json and
// package-lock.json (how codemirror.min.js and LICENSE are made).
package codemirror
