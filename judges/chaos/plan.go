// Package chaos draws from a seed what happens to a cluster and when, keeps what was
// acknowledged of the changes, and judges what comes of it. It starts nothing and asks
// nobody: what was seen is handed to it.
//
//	plan.go    faults and their moments
//	changes.go what is changed meanwhile
//	ledger.go  what each object may be by now
//	judge.go   what must never be, by what a watch says
//	surge.go   how many Pods Deployments have meanwhile
//	final.go   what must be in the end
//	lease.go   who may write, by what kube-apiserver notes of writes
//	report.go  what was violated, and the table
//
// The plan of a seed is always the same; what comes of it depends on the machine as
// well. Some faults overlap, and --without leaves kinds out while the rest stays. A
// restore of etcd takes the ledger back to the moment of the snapshot; after one
// kube-scheduler and kube-controller-manager are started again, as Kubernetes'
// documentation says, and the copies that are judged, and the nodes, are not.
//
// Two sentences are milder than one would write them first: Kubernetes' controllers
// break the stricter ones, too. A Deployment can have more live Pods than it may for
// as long as a deletion takes: its controller counts what it has written. And whoever
// creates a Pod of a DaemonSet, and never hears that it was created, creates another
// one if its watch was cut as well, and deletes one when it sees both (Kubernetes'
// syncNodes lowers its expectations after an error, too).
//
// Once each, the same ten minutes of two processors that others used as well (seed 3:
// 55 faults, none of them a restore), ours and kube-controller-manager: 320 changes
// and 234 acknowledged, 322 and 232; the lease changed hands 6 times, 9 times; copies
// that ended by themselves 0, 4; seconds after the end until all was right 26, 23;
// sentences violated none, none. --theirs plays it with two copies of Kubernetes'.
package chaos

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Kind is one of faults.
type Kind string

// The faults.
const (
	ServerKilled  Kind = "server-killed"  // kube-apiserver
	EtcdKilled    Kind = "etcd-killed"    //
	EtcdRestored  Kind = "etcd-restored"  // from a snapshot; its counter of versions goes back
	EtcdBumped    Kind = "etcd-bumped"    // from a snapshot, with --bump-revision and --mark-compacted
	DiskFull      Kind = "disk-full"      // etcd's
	LeaderStopped Kind = "leader-stopped" // and woken
	LeaderKilled  Kind = "leader-killed"
	BothKilled    Kind = "both-killed" // copies
	NodesKilled   Kind = "nodes-killed"
	NetworkCut    Kind = "network-cut" // one way, of one copy
	ClockOff      Kind = "clock-off"   // of one copy, by minutes
)

// lane is faults of which one comes after the other. Those of different lanes overlap.
type lane struct {
	kinds        []Kind        // some are drawn more often
	least, most  time.Duration // how long one lasts
	pause, until time.Duration // how long none is, between two
}

var lanes = []lane{
	{[]Kind{ServerKilled}, time.Second, 8 * time.Second, 20 * time.Second, 90 * time.Second},
	{[]Kind{EtcdKilled, EtcdKilled, DiskFull, EtcdRestored, EtcdBumped},
		time.Second, 15 * time.Second, 15 * time.Second, 60 * time.Second},
	{[]Kind{LeaderStopped, LeaderStopped, LeaderKilled, LeaderKilled, BothKilled},
		time.Second, 26 * time.Second, 10 * time.Second, 45 * time.Second},
	{[]Kind{NodesKilled}, time.Second, 20 * time.Second, 30 * time.Second, 120 * time.Second},
	{[]Kind{NetworkCut, ClockOff}, 5 * time.Second, 40 * time.Second, 10 * time.Second, 50 * time.Second},
}

// Kinds returns all kinds of faults.
func Kinds() (all []Kind) {
	for _, l := range lanes {
		for _, k := range l.kinds {
			if !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
	}
	return all
}

// Fault is one that is planned.
type Fault struct {
	At, For time.Duration
	Kind    Kind
	Copy    int           // which of the two, where it is not the leader
	Answers bool          // the cut loses them, else requests
	Off     time.Duration // by what the clock is
	Age     time.Duration // of the snapshot
}

// String says what a fault is, and for how long.
func (f Fault) String() string {
	more := ""
	switch f.Kind {
	case NetworkCut:
		way := "requests"
		if f.Answers {
			way = "answers"
		}
		more = fmt.Sprintf(" of copy %d, %s are lost", f.Copy+1, way)
	case ClockOff:
		more = fmt.Sprintf(" of copy %d, by %s", f.Copy+1, f.Off)
	case EtcdRestored, EtcdBumped:
		more = fmt.Sprintf(" to a state %s old or older", f.Age)
	}
	return fmt.Sprintf("%s%s, for %s", f.Kind, more, f.For)
}

// Plan is what shall happen.
type Plan struct {
	Faults  []Fault
	Changes []Change
}

// Draw draws a plan. What is left out takes nothing else with it: the rest is the same
// as without.
func Draw(seed uint64, length time.Duration, without []Kind) (p Plan) {
	for n, l := range lanes {
		for _, f := range l.draw(rand.New(rand.NewPCG(seed, uint64(n))), length) {
			if !slices.Contains(without, f.Kind) {
				p.Faults = append(p.Faults, f)
			}
		}
	}
	slices.SortStableFunc(p.Faults, func(a, b Fault) int { return cmp.Compare(a.At, b.At) })
	p.Changes = changes(rand.New(rand.NewPCG(seed, uint64(len(lanes)))), length)
	return p
}

// draw draws the faults of a lane. The last is healed when the time is over.
func (l lane) draw(dice *rand.Rand, length time.Duration) (all []Fault) {
	at := between(dice, time.Second, l.pause)
	for {
		f := Fault{
			At: at, For: between(dice, l.least, l.most), Kind: l.kinds[dice.IntN(len(l.kinds))],
			Copy: dice.IntN(2), Answers: dice.IntN(2) == 1,
			Off: time.Duration(1+dice.IntN(20)) * time.Minute, Age: between(dice, 5*time.Second, 90*time.Second),
		}
		if dice.IntN(2) == 1 {
			f.Off = -f.Off
		}
		if f.Kind == DiskFull { // etcd notices only when its file has to grow
			f.For += 10 * time.Second
		}
		if f.At+f.For > length {
			return all
		}
		all = append(all, f)
		at += f.For + between(dice, l.pause, l.until)
	}
}

// between draws a duration of so many milliseconds.
func between(dice *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(dice.Int64N(int64((most-least)/time.Millisecond)))*time.Millisecond
}
