// Package node has the tree that the book's pages are made of. What is woven, a
// transcript or a paragraph, is nodes; its links and ids stay attributes of them
// until a page is written. The site, a clone, a bound book, slides and the search's
// index are walks over the one tree.
//
// Reading order:
//
//	node.go     making nodes
//	walk.go     looking at them
//	address.go  where their links lead
//	write.go    their markup, as HTML and as XML
package node
