// Package httpserve is how everything of the book listens: the lab's API, the pages,
// the board of a workshop, metrics.
//
//	serve.go    a listener, its connections, and how they end
//	patient.go  too many connections wait, and that is told once
//	either.go   with TLS or without, at one port
//	guard.go    which requests are let in: none of another site's page
//	body.go     what a client sends has a size, and comes in time
//	token.go    what a client has to know
//	pass.go     and what a browser is given for it
//	packed.go   files that pages fetch packed
//	browser.go  the system opens a page
package httpserve
