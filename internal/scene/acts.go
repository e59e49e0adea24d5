package scene

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/trace"
)

// act is a write that followed a user's deletion.
type act struct {
	After  int64  `json:"after"` // microseconds since the deletion
	By     string `json:"by"`    // "kubelet node-1"
	Object string `json:"object"`
	State  string `json:"state,omitempty"` // a Pod's: "Running, Ready"
	Node   string `json:"node,omitempty"`  // likewise, once it has one
	Ready  int    `json:"ready"`           // Pods, after the write

	*call // nil: no chapter's code made the write
}

// call is a call of the client by the code of a chapter.
type call struct {
	Call    string   `json:"call"` // "UpdateStatus"
	File    string   `json:"file"` // "02-deployment/replicaset_status.go"
	Line    int      `json:"line"`
	Func    string   `json:"func"`
	Changes []string `json:"changes,omitempty"` // of a status: "replicas 3"
}

// inFunction is what Go adds to a function's name for one inside of it.
var inFunction = regexp.MustCompile(`\.func\d+(\.\d+)*$`)

// callOf returns the call that makes a write: the innermost of a chapter, outside of the
// scene's client and of those that only pass a call on.
func callOf(w controlloop.Write) *call {
	var places [50]uintptr
	frames := runtime.CallersFrames(places[:runtime.Callers(2, places[:])])
	made := ""
	for frame, more := frames.Next(); more; frame, more = frames.Next() {
		name := inFunction.ReplaceAllString(frame.Function, "")
		name = name[strings.LastIndex(name, ".")+1:]
		_, file, ofChapter := strings.Cut(frame.File, "/chapters/")
		switch {
		case strings.Contains(frame.Function, "/scene.traced."):
			made = name
		case made != "" && ofChapter && name != made:
			return &call{made, file, frame.Line, name, changes(w)}
		}
	}
	return nil
}

// changes returns the numbers of a status that a write changes.
func changes(w controlloop.Write) (all []string) {
	was := numbers(w.Old)
	for _, field := range numbers(w.Object) {
		if !slices.Contains(was, field) {
			all = append(all, field)
		}
	}
	return all
}

// numbers returns those of an object's status, by name: "replicas 3".
func numbers(obj controlloop.Object) (all []string) {
	var fields struct{ Status map[string]any }
	if text, err := json.Marshal(obj); err != nil || json.Unmarshal(text, &fields) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields.Status)) {
		if n, ok := fields.Status[name].(float64); ok {
			all = append(all, fmt.Sprintf("%s %v", name, n))
		}
	}
	return all
}

// actsOf returns the writes since a user has last deleted something, but for Events and
// for Leases, which nodes renew all the time. The calls are by the versions of what they
// wrote.
func actsOf(all []trace.Entry, calls map[string]*call) ([]byte, error) {
	var acts []act
	var began int64
	marks := map[string]string{}
	for _, e := range all {
		if e.Do == trace.Ask && strings.HasPrefix(e.Text, "DELETE ") {
			acts, began = nil, e.At
		}
		if e.Do != trace.Write && e.Do != trace.Is || e.Kind == "Event" || e.Kind == "Lease" {
			continue
		}
		is := cmp.Or(e.Is, &trace.Summary{})
		made := act{
			After: e.At - began, By: e.Lane, Object: e.Kind + " " + path.Base(e.Key), Node: is.Node,
			call: calls[fmt.Sprint(e.Version)],
		}
		if e.Kind == "Pod" {
			marks[e.Key] = is.Mark
			made.State = strings.Join(append(strings.Fields(is.Word), is.Has...), ", ")
		}
		for _, mark := range marks {
			if mark == "ready" {
				made.Ready++
			}
		}
		if began > 0 {
			acts = append(acts, made)
		}
	}
	text, err := json.MarshalIndent(map[string]any{"acts": acts}, "", "  ")
	return append(text, '\n'), err
}
