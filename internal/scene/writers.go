package scene

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// writers holds who wrote what in a scene: the data of a figure.
type writers struct {
	mu    sync.Mutex
	lane  string // whose reconcile is under way
	by    string // whose write is under way; "": kubectl's, by way of the API
	what  halves
	marks map[mark]halves
	count int
}

// halves is a set of the two halves of an object.
type halves int

const (
	spec   halves = 1 << iota // what should be, and that the object is there at all
	status                    // what is
)

type mark struct{ kind, program string }

// A program is a column of the figure.
type program struct {
	Name    string `json:"name"`
	Chapter int    `json:"chapter"` // that builds it first; 0: none
}

// programs has the programs of the chapters, by the names of their controllers.
var programs = map[string]program{
	"kubectl":                                {"kubectl", 0},
	"kubelet":                                {"kubelet", 1},
	"deployment":                             {"deployment", 2},
	"replicaset":                             {"replicaset", 2},
	"garbage collector":                      {"garbage collector", 2},
	"endpointslice":                          {"endpointslice", 3},
	"statefulset":                            {"statefulset", 4},
	"persistentvolume-binder":                {"volume binder", 5},
	"persistentvolume-protection-controller": {"volume protection", 5},
	"persistentvolumeclaim-protection-controller": {"claim protection", 5},
	"provisioner":                       {"provisioner", 5},
	"attachdetach-controller":           {"attach/detach", 5},
	"attacher folder.reconcile.example": {"attacher", 5},
	"heartbeat":                         {"heartbeat", 6},
	"node-lifecycle-controller":         {"node lifecycle", 6},
	"taint-eviction-controller":         {"taint eviction", 6},
	"disruption-controller":             {"disruption", 6},
	"daemonset":                         {"daemonset", 6},
	"scheduler":                         {"scheduler", 6},
	"promoter":                          {"promoter", 7},
}

// theLab writes what no program of a chapter does: a machine that is switched on
// says so, though nothing is reconciled.
const theLab = "the lab"

// reconciles notes which controller reconciles, by its name; "": none.
func (w *writers) reconciles(lane string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lane = lane
}

// write notes whose write begins; the function that it returns notes its end.
func (w *writers) write(what halves) (done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	name, _, _ := strings.Cut(w.lane, " node-")
	if name == "mounts" { // what a kubelet writes when it mounts disks
		name = "kubelet"
	}
	w.by, w.what = cmp.Or(name, theLab), what
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.by, w.what = "", 0
	}
}

// wrote notes a write of a kind. What is written before a user has begun is what
// every cluster has.
func (w *writers) wrote(kind string, begun bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, what := mark{kind, w.by}, w.what
	switch {
	case !begun, w.by == theLab:
		return
	case w.by == "":
		at.program, what = "kubectl", spec
	}
	if w.marks == nil {
		w.marks = make(map[mark]halves)
	}
	w.marks[at] |= what
	w.count++
}

// json returns the programs in the order of their chapters, and the kinds in
// that of the first chapter that writes them.
func (w *writers) json() ([]byte, error) {
	type written struct {
		Program string `json:"program"`
		Spec    bool   `json:"spec,omitempty"`
		Status  bool   `json:"status,omitempty"`
	}
	type kind struct {
		Name   string    `json:"name"`
		Writes []written `json:"writes"`
		first  int
	}
	columns, rows := map[string]program{}, map[string]*kind{}
	for at, what := range w.marks {
		p, known := programs[at.program]
		if !known {
			return nil, fmt.Errorf("%s writes a %s, and no chapter builds it", at.program, at.kind)
		}
		columns[p.Name] = p
		if rows[at.kind] == nil {
			rows[at.kind] = &kind{Name: at.kind, first: len(programs)}
		}
		row := rows[at.kind]
		row.Writes = append(row.Writes, written{p.Name, what&spec > 0, what&status > 0})
		if p.Chapter > 0 {
			row.first = min(row.first, p.Chapter)
		}
	}
	inOrder := func(a, b program) int {
		return cmp.Or(a.Chapter-b.Chapter, strings.Compare(a.Name, b.Name))
	}
	for _, row := range rows {
		slices.SortFunc(row.Writes, func(a, b written) int {
			return inOrder(columns[a.Program], columns[b.Program])
		})
	}
	text, err := json.MarshalIndent(map[string]any{
		"writes": w.count, "loops": len(columns) - 1, // kubectl is no loop
		"programs": slices.SortedFunc(maps.Values(columns), inOrder),
		"kinds": slices.SortedFunc(maps.Values(rows), func(a, b *kind) int {
			return cmp.Or(a.first-b.first, strings.Compare(a.Name, b.Name))
		}),
	}, "", "  ")
	return append(text, '\n'), err
}
