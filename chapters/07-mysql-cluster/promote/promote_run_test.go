package promote_test

import (
	"strings"
	"testing"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// begun is what an operator that is killed after a write leaves behind, as
// figures/promoted.svg has it.
type begun struct {
	Wrote string `json:"wrote"`
	Names string `json:"names"` // the Service
	Slave string `json:"slave"` // stands how
	Left  int    `json:"left"`  // writes that the next operator makes
}

// An operator is killed before the first of its writes, and after each of them.
func TestRunOfAPromotionThatIsKilledAfterEachWrite(t *testing.T) {
	var states []begun
	for writes := range 6 {
		one := slave("bin.000001", 200)
		with(t, map[string]*database{"mysql-1": one}, func(r *rig) {
			r.at, r.how = writes+1, "dies before"
			r.looks()
			now := begun{Wrote: "nothing", Names: r.named(), Slave: one.stands()}
			switch {
			case writes > 1:
				now.Wrote = one.done[writes-2]
			case writes > 0:
				now.Wrote = "the Service"
			}
			r.succeed()
			made := r.writes
			r.looks()
			now.Left = r.writes - made
			states = append(states, now)
		})
	}
	kubetest.RecordedJSON(t, "../../testdata/promoted.json", map[string]any{
		"pod": "mysql-1", "states": states,
	})
}

// looks looks at the Service until nothing is left to do, or it is killed.
func (r *rig) looks() {
	for range 4 {
		_, _ = r.Reconcile(r.Context(), door)
		if r.dead {
			return
		}
		time.Sleep(30 * time.Second)
	}
}

// stands says in words how far a slave has become a master.
func (d *database) stands() string {
	switch {
	case !d.readOnly:
		return "takes writes"
	case d.file == "":
		return "follows nobody"
	case !d.running:
		return "has stopped"
	case d.deaf:
		return "reads no more"
	}
	return "follows"
}

// standing is whom each server follows, as figures/whom.svg has it.
type standing struct {
	Zero string `json:"zero"`
	One  string `json:"one"`
	Two  string `json:"two"`
}

// Two masters are lost one after the other, with slaves that keep no binlog, and
// with slaves that keep one.
func TestRunOfTwoFailovers(t *testing.T) {
	lived := map[string][]standing{}
	for how, binlog := range map[string]bool{"without": false, "with": true} {
		all := map[string]*database{"mysql-1": slave("bin.000001", 200), "mysql-2": slave("bin.000001", 200)}
		for name, d := range all {
			d.host = "mysql-0.mysql"
			if binlog {
				d.binlog = name + "-bin.000001"
			}
		}
		with(t, all, func(r *rig) {
			now := func(zero string) {
				lived[how] = append(lived[how], standing{zero, all["mysql-1"].follows(), all["mysql-2"].follows()})
			}
			now("takes writes")
			r.looks()
			now("off")
			all["mysql-1"].silent = true
			r.Pods.Remove(controlloop.Key{Namespace: door.Namespace, Name: "mysql-1"})
			r.looks()
			r.looks()
			now("off")
		})
	}
	kubetest.RecordedJSON(t, "../../testdata/whom.json", lived)
}

// follows says whom a server follows.
func (d *database) follows() string {
	switch {
	case d.silent:
		return "off"
	case !d.readOnly:
		return "takes writes"
	}
	master, _, _ := strings.Cut(d.host, ".")
	return "follows " + master
}
