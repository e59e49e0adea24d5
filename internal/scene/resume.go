package scene

import (
	"slices"

	"reconcile/internal/script"
)

// resume has a script performed from where the stage has come to, and reports
// whether it goes on from there: it has the steps that were performed. A question
// that was asked last may be missing, since nothing is another for it.
func (st *stage) resume(next *script.Script) bool {
	if next == nil {
		return false
	}
	switch n := len(st.script.Steps); {
	case next.Resumes(st.script, n):
		st.done = n
	case st.asked && next.Resumes(st.script, n-1):
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
	played.Text, played.Look, played.Waits = st.script.Format(), st.lab.Look, st.waits
	played.Trace, err = st.trace.json()
	if err == nil && st.script.Setting("writers", "") != "" {
		played.Writers, err = st.trace.writers.json()
	}
	if err == nil && st.script.Setting("look", "") != "" {
		played.Record, err = recordOf(st.lab.Look, st.waits)
	}
	return played, err
}
