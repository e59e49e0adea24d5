// Package highlight marks code up as HTML: Go with a link from every identifier
// to its definition, other languages in colour.
//
// In reading order:
//
//	info.go     which identifier means what
//	checker.go  how that is found out
//	outside.go  packages of other modules
//	object.go   the name of an object, as links use it
//	digest.go   what the answer depends on
//	cache.go    so that it is found out once
//	tokens.go   a Go file as a list of tokens
//	code.go     tokens as HTML
//	comment.go  comments, which a phone sets anew
//	chroma.go   every other language
package highlight
