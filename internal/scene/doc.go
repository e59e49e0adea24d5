// Package scene plays scenes: scripts in which a user works with kubectl on the
// book's own control plane, in virtual time. All that a page prints has
// happened here. The grammar of scenes is package script's.
//
//	go test ./internal/scene            plays every scene of every chapter
//	go test ./internal/scene -update    and writes down the output
//
// A scene has a testing/synctest bubble to itself, in which a lab stands that
// does not run: the player of the scene takes its steps. That fixes the order
// of everything. The rules are these:
//
//  1. Nothing happens at the same time. A request of kubectl waits at a gate.
//     When the programs have nothing left to do, one controller reconciles one
//     key. When no key waits either, one request is let in. When there is none,
//     time passes, up to the next thing that falls due.
//  2. So controllers are quicker than people: between two requests they have
//     always come to rest. Only commands that "&&" joins are quicker still: as
//     long as one of their requests waits, no key is reconciled.
//  3. A command in the foreground lets time pass as it needs (`wait`, `delete`),
//     up to the scene's limit. Typing takes no time: only advance does.
//  4. Output is put in order whenever all is still: first the command's in the
//     foreground, then those in the background by number.
//
// A scene begins on Monday, 2 June 2025, at 9:00 UTC, in an empty folder but
// for a copy of the chapter's manifests, with one node unless its settings say
// otherwise:
//
//	# nodes: 3                  how many there are
//	# controllers: *,-foo       as `lab up --controllers` has it; or: none
//	# with: 3k,no-network     as `lab up --with` has it
//	# seed: 7                   of names, of uids, and of the order where many could
//	                            be first; without it, the order is the lab's
//	# limit: 1h                 how long a command may wait; ten minutes
//	# trace: testdata/x.json    where the run is written down, for figures
//	# writers: testdata/x.json  where it is written down who wrote what
//	# acts: testdata/x.json     where the writes that followed the last deletion are
//	                            written down, with the line of a chapter that made each
//	# look: testdata/x.json     where the record is written down that is looked into
//
//	scene.go      Play and GoOn
//	stage.go      the lab of a scene
//	others.go     controllers that play in the place of the lab's
//	resume.go     a scene that goes on where another has ended
//	drive.go      the order in which everything happens
//	gate.go       requests, one at a time
//	connect.go    connections without a network
//	process.go    one kubectl
//	terminal.go   its output, and the place for it in the script
//	perform.go    the steps of a script
//	runtime.go    containers, which run beside all that, at its pace
//	recording.go      the events of a scene, as data
//	writers.go    who wrote what, as data
//	acts.go       what followed a deletion, as data
//	record.go     what the controllers did, as data
//	environment.go the things of which a process has only one
package scene
