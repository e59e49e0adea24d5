// Package script reads and writes scenes: text files in which a user works with
// kubectl, with all that was printed. It knows the grammar and runs nothing;
// package scene does.
//
// A scene, testdata/NAME.scene of a chapter, is read line by line:
//
//	# What this scene is about.        a comment
//	# nodes: 2                         a setting; only above the first step
//
//	# part: create                     from here on, a part that pages can show
//	$ kubectl get pods -w &            a command; & leaves it running
//	                                   what it printed follows it
//	$ kubectl create -f manifests/pod.yaml
//	pod/nginx created
//	| nginx   0/1   Pending   0   0s   what the first running command printed
//	                                   meanwhile; the second's begin with "2| "
//	advance 19s                        a verb: see Verb for all there are
//
//	$ kubectl get pods nosuch
//	Error from server (NotFound): pods "nosuch" not found
//	[exit 1]                           the exit code, where it is not 0
//
// A command is kubectl with its arguments, quoted as in a shell, on one line or
// on several that end in a backslash. Two can be joined by "&&": a user who
// types that is quicker than the controllers. Behind them may stand "<<< text"
// for its input and "> FILE" for its output. There are no variables, pipes or
// other programs.
//
// A line of output that would be read as something else begins with a backslash,
// which is not part of it. Between two steps stands one empty line; empty lines
// inside of output are the output's.
//
//	script.go   Script, Step, and the parts of a script
//	parse.go    from text
//	line.go     what a line of a scene is
//	command.go  "$ kubectl …"
//	verb.go     what happens besides commands
//	caption.go  the same in a page's words
//	format.go   back to text
package script
