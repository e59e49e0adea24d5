package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

func (f Figures) String() string {
	return fmt.Sprintf("created in %.1f s, rolled in %.1f s, %d writes and %d events, refused %s, %.1f s of processor",
		f.Created, f.Rolled, f.Writes.Done, f.Writes.Events, numbers(f.Writes.Refused), f.Processor)
}

// numbers writes a map as "a 1, b 2", the largest first.
func numbers(of map[string]int) string {
	keys := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		if of[a] != of[b] {
			return of[b] - of[a]
		}
		return strings.Compare(a, b)
	})
	var all []string
	for _, key := range keys {
		all = append(all, fmt.Sprintf("%s %d", key, of[key]))
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, "; ")
}

// text is the result as it is printed.
func (r Result) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# part: claims\nkube-apiserver %s, etcd %s, %d processors, %d simulated nodes\n\n", r.Kubernetes, r.Etcd, r.Processors, r.Nodes)
	for _, c := range r.Claims {
		mark := "held  "
		if !c.Held {
			mark = "FAILED"
		}
		fmt.Fprintf(&b, "%s  %s\n        %s\n", mark, c.Name, c.Seen)
	}
	fmt.Fprint(&b, "\n# part: stories\n")
	rows := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "STORY\tSTEPS\tAS IN THE LAB\tAS KUBE-CONTROLLER-MANAGER")
	for _, t := range r.Stories {
		fmt.Fprintf(rows, "%s\t%d\t%s\t%s\n", t.Name, t.Steps, t.Lab, t.Theirs)
	}
	_ = rows.Flush() // into memory
	fmt.Fprintf(&b, "\n# part: rollout\n%d Pods created, then replaced; each may make %d requests a second\n\n", r.Pods, r.QPS)
	rows = tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "\tOURS\tKUBE-CONTROLLER-MANAGER")
	for _, row := range r.rows() {
		fmt.Fprintf(rows, "%s\t%v\t%v\n", row.name, row.ours, row.theirs)
	}
	_ = rows.Flush()
	r.more(&b)
	fmt.Fprint(&b, "\n# part: latency\n")
	rows = tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "MILLISECONDS, MEDIAN (99 OF 100)\tGET\tUPDATE\tTHE WATCH IS LATE BY")
	for _, row := range []struct {
		name string
		l    Latencies
	}{{"lab up, over HTTP", r.Lab}, {"kube-apiserver at rest", r.Real}, {"… in the middle of a rollout", r.Busy}} {
		fmt.Fprintf(rows, "%s\t%g (%g)\t%g (%g)\t%g (%g)\n", row.name, row.l.Get.Median, row.l.Get.Worst,
			row.l.Update.Median, row.l.Update.Worst, row.l.Late.Median, row.l.Late.Worst)
	}
	_ = rows.Flush()
	fmt.Fprint(&b, "\n# part: admission\n")
	for _, field := range r.Admission {
		fmt.Fprintln(&b, field)
	}
	fmt.Fprint(&b, "\n# part: refusals\n")
	for _, refusal := range r.Refusals {
		fmt.Fprintln(&b, refusal)
	}
	for _, part := range r.Walk {
		fmt.Fprintf(&b, "\n# part: %s\n%s", part.Name, part.Text)
	}
	return b.String()
}

// more tells of the default rates, and of a leader that was stopped.
func (r Result) more(b *strings.Builder) {
	fmt.Fprintf(b, "\n# part: defaults\n%d Pods created, then replaced; at the default rates, 20 requests a second and 30 at once\n\n", r.Defaults.Pods)
	rows := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "\tOURS\tKUBE-CONTROLLER-MANAGER")
	for _, row := range short(r.Defaults.Pods, r.Defaults.Ours, r.Defaults.Theirs) {
		fmt.Fprintf(rows, "%s\t%v\t%v\n", row.name, row.ours, row.theirs)
	}
	_ = rows.Flush()
	fmt.Fprintf(b, "\n# part: pause\n%d Pods are being replaced; the leader is stopped, and woken as soon as the next copy works\n\n", r.Pause.Pods)
	fmt.Fprintf(b, "%5.1f  seconds until the next copy worked\n", r.Pause.Next)
	fmt.Fprintf(b, "%5d  writes of the old leader that arrived after it woke\n", r.Pause.Late)
	fmt.Fprintf(b, "%5d  that it didn't send\n", r.Pause.Kept)
	fmt.Fprintf(b, "%5.1f  seconds after it woke it knew that the lease was lost\n", r.Pause.Knew)
	fmt.Fprintf(b, "\nThe first that it didn't send, in its log:\n%s\n", r.Pause.Words)
}

type row struct {
	name         string
	ours, theirs any
}

// rows are the lines of the table of the large rollout.
func (r Result) rows() []row {
	rows := short(r.Pods, r.Ours, r.Theirs)
	rows = append(rows, each(r.Ours.Writes.What, r.Theirs.Writes.What)...)
	rows = append(rows, row{"events", r.Ours.Writes.Events, r.Theirs.Writes.Events},
		row{"refused", sum(r.Ours.Writes.Refused), sum(r.Theirs.Writes.Refused)})
	rows = append(rows, each(r.Ours.Writes.Where, r.Theirs.Writes.Where)...)
	return rows
}

// short returns the lines about two rollouts of so many Pods.
func short(pods int, ours, theirs Figures) []row {
	return []row{
		{"seconds to create", ours.Created, theirs.Created},
		{"seconds to roll", ours.Rolled, theirs.Rolled},
		{"fewest Pods ready", ours.Fewest, theirs.Fewest},
		{"most Pods wanted", ours.Most, theirs.Most},
		{"most Pods live", ours.Live, theirs.Live},
		{fmt.Sprintf("seconds above %d", limit(pods)), ours.Above, theirs.Above},
		{"seconds of processor", ours.Processor, theirs.Processor},
		{"writes", ours.Writes.Done, theirs.Writes.Done},
	}
}

// each returns a row for each name of either side.
func each(ours, theirs map[string]int) (rows []row) {
	names := map[string]bool{}
	for _, side := range []map[string]int{ours, theirs} {
		for name := range side {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		rows = append(rows, row{"  " + name, ours[name], theirs[name]})
	}
	return rows
}

func sum(of map[string]int) (n int) {
	for _, one := range of {
		n += one
	}
	return n
}
