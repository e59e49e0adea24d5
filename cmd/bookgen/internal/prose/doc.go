// Package prose makes nodes of Markdown, as a page of the book has it. What is woven
// into a text in the place of a reference is a node of the text, too: its maker says
// what it is.
//
// Reading order:
//
//	woven.go  the nodes of a text that stand in the place of references
//	prose.go  paragraphs and what stands in them
//	note.go   notes in the margin
//	fold.go   questions with their answers folded behind them
//	code.go   code in a sentence
//	table.go  tables
package prose
