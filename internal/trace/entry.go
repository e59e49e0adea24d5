package trace

import (
	controlloop "reconcile/chapters/01-control-loop"
)

// Do says what an entry tells of.
type Do string

const (
	Since  Do = "since"  // what was before isn't known
	Is     Do = "is"     // an object that was there before the record
	Lane   Do = "lane"   // a loop, and whether it is held
	Ask    Do = "ask"    // a request to the API that may write
	Write  Do = "write"  // a write of the store
	Heard  Do = "heard"  // a cache took an event in
	Key    Do = "key"    // a key was put into a queue
	Run    Do = "run"    // a reconcile begins
	End    Do = "end"    // it has ended
	Decide Do = "decide" // the scheduler has decided about a Pod
	Dial   Do = "dial"   // a connection by way of Services
	Act    Do = "act"    // somebody held or broke something, or that struck
)

// Entry is one thing that happened.
type Entry struct {
	N     int    `json:"n,omitempty"` // counts up from 1; 0: before the record
	At    int64  `json:"at"`          // microseconds since 1970
	Do    Do     `json:"do"`
	Lane  string `json:"lane,omitempty"` // the loop, or who it was
	Cause int    `json:"cause,omitempty"`

	Kind    string   `json:"kind,omitempty"`
	Key     string   `json:"key,omitempty"` // namespace/name
	Version uint64   `json:"v,omitempty"`
	Verb    string   `json:"verb,omitempty"` // of a key and a run: "there", in the queue already
	Is      *Summary `json:"is,omitempty"`
	Text    string   `json:"text,omitempty"`
	Hold    string   `json:"hold,omitempty"`  // of a lane: paused, slow
	Calls   []string `json:"calls,omitempty"` // of a write: "Roll recreate.go:31", the innermost first

	Run   int    `json:"run,omitempty"`   // an end's and a decision's
	Wrote int    `json:"wrote,omitempty"` // writes of a run
	After int64  `json:"after,omitempty"` // microseconds until it comes back
	Err   string `json:"err,omitempty"`

	*Choice     // of a decision
	*Connection // of a dial

	object controlloop.Object // that was written; it is shared
}

// Choice is the node that a Pod goes to, and what was said of each.
type Choice struct {
	Node string `json:"node,omitempty"` // "": none
	Said []Said `json:"said,omitempty"`
}

// Connection is who asked for which address, and came where.
type Connection struct {
	From string `json:"from,omitempty"` // an IP address
	To   string `json:"to,omitempty"`
	Pod  string `json:"pod,omitempty"`
}

// Said is what was said of one node.
type Said struct {
	Node    string   `json:"node"`
	Filter  string   `json:"filter,omitempty"` // that refused it
	Reasons []string `json:"reasons,omitempty"`
	Points  []Points `json:"points,omitempty"`
	Sum     int64    `json:"sum,omitempty"`
}

// Points are what a score gave a node: 0 to 100, and how much they count.
type Points struct {
	Score  string `json:"score"`
	Points int64  `json:"points"`
	Weight int64  `json:"weight"`
}

// Decision is how the scheduler chose a Pod's node, or why there is none.
type Decision struct {
	Pod  controlloop.Object
	Text string // why there is none
	Choice
}

// Version is an object as it was written once.
type Version struct {
	N       int                `json:"n,omitempty"`
	At      int64              `json:"at"`
	Lane    string             `json:"lane,omitempty"`
	Version uint64             `json:"v"`
	Object  controlloop.Object `json:"object"`
}
