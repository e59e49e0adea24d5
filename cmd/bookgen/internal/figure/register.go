package figure

import "fmt"

// A register is the Pods in the order in which they came.
type register struct{ all []*lodger }

// A lodger is a Pod, and the node that it is on.
type lodger struct {
	tenure
	home string
}

// take notes what a write changes in its Pod: one of the same name that is gone
// was another.
func (r *register) take(w written) (changed bool, err error) {
	if becomes[w.Is] == "" {
		return false, fmt.Errorf("there is no phase %q", w.Is)
	}
	var l *lodger
	for _, one := range r.all {
		if one.Name == w.Pod && one.now() != "gone" {
			l = one
		}
	}
	if l == nil {
		if w.Is == "gone" {
			return false, fmt.Errorf("%s is gone, and was not there", w.Pod)
		}
		l = &lodger{tenure: tenure{Name: w.Pod}}
		r.all = append(r.all, l)
	}
	if l.home != "" && w.On != l.home {
		return false, fmt.Errorf("%s is on %s, and was on %s", w.Pod, w.On, l.home)
	}
	l.home = w.On
	if l.now() == w.Is {
		return false, nil
	}
	l.Phases = append(l.Phases, phase{w.At, w.Is})
	return true, nil
}
