package chaos

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// Invariant is a sentence that has to hold.
type Invariant string

// The invariants: of each moment, of the end, and of those who write.
const (
	Owned    Invariant = "no Pod is without a controller"
	OneANode Invariant = "never two live Pods of a DaemonSet on one node, but for a moment when an answer was lost"
	Ordered  Invariant = "no Pod of a StatefulSet is created before all lower ones are there"
	OneAName Invariant = "never two live Pods of one name"
	Surge    Invariant = "never more Pods of a Deployment are wanted than it may have, nor for a minute alive"

	Living    Invariant = "at the end each Pod, ReplicaSet and ControllerRevision has its living owner"
	OneActive Invariant = "at the end each Deployment has one active ReplicaSet, and all its Pods"
	Ordinals  Invariant = "at the end each StatefulSet has Pods 0 to n-1, and no other"
	EachNode  Invariant = "at the end each DaemonSet has one Pod on each node"
	Images    Invariant = "at the end each Pod has the image that is asked for, and is ready"
	Statuses  Invariant = "at the end each status says what there is"
	Kept      Invariant = "no acknowledged creation or deletion is lost"
	Numbers   Invariant = "images and numbers are those of the last acknowledged change, or of one after it that was not answered"

	Lease  Invariant = "a copy that does not hold the lease does not write"
	Panics Invariant = "no copy panics"
)

// Invariants are all of them, in the order of the table.
var Invariants = []Invariant{
	Owned, OneANode, Ordered, OneAName, Surge, Living, OneActive, Ordinals, EachNode, Images, Statuses, Kept, Numbers, Lease, Panics,
}

// Violation is what was seen instead.
type Violation struct {
	Invariant Invariant
	Seen      string
}

// String says both.
func (v Violation) String() string { return fmt.Sprintf("%s: %s", v.Invariant, v.Seen) }

// Report is what came of a run. Several may write it at once.
type Report struct {
	mu         sync.Mutex
	faults     map[Kind]int
	lasted     map[Kind]time.Duration
	answers    map[Op]map[Answer]int
	violations []Violation
	notes      map[string]int
}

// NewReport returns an empty one.
func NewReport() *Report {
	return &Report{faults: map[Kind]int{}, lasted: map[Kind]time.Duration{}, answers: map[Op]map[Answer]int{}, notes: map[string]int{}}
}

// Fault counts a fault that was there for so long.
func (r *Report) Fault(k Kind, lasted time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[k]++
	r.lasted[k] += lasted
}

// Change counts a change.
func (r *Report) Change(op Op, a Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answers[op] == nil {
		r.answers[op] = map[Answer]int{}
	}
	r.answers[op][a]++
}

// Violated keeps violations, each once, and reports whether there was a new one.
func (r *Report) Violated(all ...Violation) (news bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range all {
		if !slices.Contains(r.violations, v) {
			r.violations, news = append(r.violations, v), true
		}
	}
	return news
}

// Violations returns what was violated.
func (r *Report) Violations() []Violation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.violations)
}

// Note adds a line below the table; the same is counted.
func (r *Report) Note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes[fmt.Sprintf(format, args...)]++
}

// Write writes the table.
func (r *Report) Write(out io.Writer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "FAULT\tTIMES\tSECONDS")
	for _, k := range Kinds() {
		fmt.Fprintf(rows, "%s\t%d\t%.0f\n", k, r.faults[k], r.lasted[k].Seconds())
	}
	fmt.Fprintln(rows, "\t\t\nCHANGE\tTRIED\tACKNOWLEDGED\tREFUSED\tUNKNOWN")
	var sum [4]int
	for _, op := range Ops {
		of := r.answers[op]
		row := [4]int{0, of[Acknowledged], of[Refused] + of[Missing], of[Unknown]}
		row[0] = row[1] + row[2] + row[3]
		for n := range sum {
			sum[n] += row[n]
		}
		fmt.Fprintf(rows, "%s\t%d\t%d\t%d\t%d\n", op, row[0], row[1], row[2], row[3])
	}
	fmt.Fprintf(rows, "all\t%d\t%d\t%d\t%d\n", sum[0], sum[1], sum[2], sum[3])
	if err := rows.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(out, r.verdict())
	return err
}

// shown is how many violations of one sentence are told.
const shown = 8

// verdict says of each invariant whether it held, and what was seen where it did not.
func (r *Report) verdict() string {
	var b strings.Builder
	b.WriteString("\n")
	for _, i := range Invariants {
		var seen []string
		for _, v := range r.violations {
			if v.Invariant == i {
				seen = append(seen, v.Seen)
			}
		}
		if len(seen) == 0 {
			fmt.Fprintf(&b, "held      %s\n", i)
			continue
		}
		fmt.Fprintf(&b, "VIOLATED  %s\n", i)
		for _, s := range seen[:min(shown, len(seen))] {
			fmt.Fprintf(&b, "          %s\n", s)
		}
		if more := len(seen) - shown; more > 0 {
			fmt.Fprintf(&b, "          and %d more\n", more)
		}
	}
	b.WriteString("\n")
	for _, note := range slices.Sorted(maps.Keys(r.notes)) {
		if n := r.notes[note]; n > 1 {
			note += fmt.Sprintf(" (%d times)", n)
		}
		fmt.Fprintln(&b, note)
	}
	return b.String()
}
