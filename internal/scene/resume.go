package scene

import (
	"slices"

	"reconcile/internal/script"
)

// resume continues the stage with a script, and reports whether it could: the
// script has to begin with the steps that were performed. The last of these may
// be missing if it only asked, since asking changes nothing.
func (st *stage) resume(next *script.Script) bool {
	switch n := len(st.script.Steps); {
	case next != nil && next.Resumes(st.script, n):
		st.done = n
	case next != nil && st.asked && next.Resumes(st.script, n-1):
		st.done = n - 1
	default:
		return false
	}
	st.script = next
	return true
}

// onlyAsks reports whether a step was a command that changes nothing, and printed
// nothing but its own answer.
func onlyAsks(step *script.Step) bool {
	c := step.Command
	if c == nil || c.Background || c.To != "" || c.Then != nil {
		return false
	}
	others := slices.ContainsFunc(step.Output, func(line script.Line) bool { return line.Job != 0 })
	return !others && (c.Does() == "get" || c.Does() == "__completeNoDesc")
}

// played returns what has been performed up to now.
func (st *stage) played() (played Played, err error) {
	played.Text, played.Look, played.Waits, played.Faults = st.script.Format(), st.lab.Look, st.waits, st.struck
	played.Trace, err = st.trace.json()
	if err == nil && st.script.Setting("writers", "") != "" {
		played.Writers, err = st.trace.writers.json()
	}
	if err == nil && st.script.Setting("look", "") != "" {
		played.Record, err = recordOf(st.lab.Look, st.waits)
	}
	if err == nil && st.script.Setting("acts", "") != "" {
		played.Acts, err = actsOf(st.lab.Look.Entries(), st.trace.calls)
	}
	return played, err
}
