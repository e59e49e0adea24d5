// Package up runs a lab as a process: it listens, tells clients where, prints
// what happens, keeps the state in a file if asked to, and stops without
// leaving anything behind.
//
//	up.go          what a user asks for; start, wait, stop
//	ports.go       what it listens at, itself or for the room that it is in
//	runtime.go     what runs the containers; the room for those that are real
//	folder.go      where volumes are that are not kept
//	listen.go      the port; the clients that may reach it
//	serve.go       the API on that port
//	page.go        and the lab's page, for a browser
//	names.go       questions for names, by UDP and TCP
//	certificate.go TLS, where a token travels
//	kubeconfig.go  the file through which clients find the lab
//	welcome.go     how to use it
//	tell.go        events as they happen
//	trace.go       all that happens, in a file
package up
