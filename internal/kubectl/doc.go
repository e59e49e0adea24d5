// Package kubectl runs Kubernetes' own kubectl inside this process: the same
// code that the kubectl command is built from, against any API server that a
// kubeconfig or an http.RoundTripper leads to.
//
//	command.go  Command and Run
//	build.go    the tree of kubectl's commands, made to belong to one Command
//	ending.go   requests that end when a context does
//	fatal.go    how kubectl ends without ending the process
//	stdin.go    the input of "-f -"
//	edit.go     what kubectl edit sends, for who has another editor
//	copy.go     kubectl cp that fails when it has copied nothing
//	version.go  which kubectl it is
//	forget.go   what cobra would keep of each command for ever
//
// Commands may run at the same time. They still share three things, which the
// process has only once: the working directory, the environment (KUBERC=off
// keeps the user's own preferences out, an empty PATH the search for plugins),
// and the messages that a few of kubectl's functions write to os.Stderr past
// the stream they were given ("Defaulted container …" of logs). `auth can-i`,
// which answers "no" by ending the process, is the one command that a test
// should not run here.
package kubectl
