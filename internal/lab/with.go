package lab

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	tidy "reconcile/chapters/01-control-loop/exercises/1j"
	deployment "reconcile/chapters/02-deployment"
	swap "reconcile/chapters/02-deployment/exercises/2h"
	rollingupdate "reconcile/chapters/03-rolling-update"
	canary "reconcile/chapters/03-rolling-update/exercises/3k"
	statefulset "reconcile/chapters/04-statefulset"
	home "reconcile/chapters/04-statefulset/exercises/4g"
	storage "reconcile/chapters/05-storage"
	wastebasket "reconcile/chapters/05-storage/exercises/5g"
	daemonset "reconcile/chapters/06-daemonset"
	packed "reconcile/chapters/06-daemonset/exercises/6m"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/chapters/07-mysql-cluster/promote"
	"reconcile/internal/exercise/numbering"
)

// parts are the pieces of a lab that an exercise can replace.
type parts struct {
	strategy deployment.Strategy
	claims   func(*controlloop.System) statefulset.Claims
	scores   func() []scheduler.Score
	disks    func(folder string) storage.Backend
	plugin   bool                   // machines wait for a network plug-in
	attach   bool                   // disks are attached to a node before it mounts them
	noForce  bool                   // … and never taken from a node by force
	besides  []func(*Lab) OfCluster // controllers that no chapter has
}

// extra is one of the other ways: what a reader writes in an exercise, by its
// number, or what a course shows.
type extra struct {
	name      string
	does      string
	about     string // two that are about one thing can't be had together
	elsewhere bool   // on another cluster, too
	put       func(*parts)
}

const (
	rolls = "how Deployments roll"
	keeps = "what Pods of StatefulSets keep"
)

var extras = []extra{
	{"1j", "Pods that have ended go, after a time that they say", "", false, func(p *parts) {
		p.besides = append(p.besides, func(*Lab) OfCluster { return tidy.New })
	}},
	{"2h", "Deployments bring up all new Pods, then end all old ones", rolls, true, func(p *parts) {
		p.strategy = swap.Strategy{}
	}},
	{"3k", "Deployments try a canary first", rolls, true, func(p *parts) {
		p.strategy = canary.Strategy{Next: rollingupdate.RollingUpdate{}}
	}},
	{"4g", "Pods of StatefulSets keep their node, as well as their disk", keeps, true, func(p *parts) {
		p.claims = func(s *controlloop.System) statefulset.Claims {
			return home.Claims{Client: s.Client, Next: storage.NewDisks(s)}
		}
	}},
	{"5g", "deleted volumes stay in a folder trash/ for a day", "", false, func(p *parts) {
		p.disks = func(folder string) storage.Backend {
			return wastebasket.Basket{Root: folder, Keep: 24 * time.Hour}
		}
	}},
	{"6m", "Pods go to the fullest node that takes them", "", true, func(p *parts) {
		p.scores = packed.Scores
	}},
	{"7k", "a slave takes the place of a MySQL master that is gone", "", false, func(p *parts) {
		p.besides = append(p.besides, promoter)
	}},
	{"no-disks", "Pods of StatefulSets keep their names alone, as in chapter 4", keeps, true, func(p *parts) {
		p.claims = func(*controlloop.System) statefulset.Claims { return statefulset.NoClaims{} }
	}},
	{"attach", "disks are attached to a node before it mounts them, one node at a time", "", false, func(p *parts) {
		p.attach = true
		p.besides = append(p.besides, attacher, attachesFolders)
	}},
	{"no-force", "with attach: a silent node keeps its disks until someone says that it's off", "", false, func(p *parts) {
		p.noForce = true
	}},
	{"no-network", "nodes wait for a network plug-in, a file *.conf or *.conflist in /etc/cni/net.d", "", false, func(p *parts) {
		p.plugin = true
	}},
}

// Extras returns the names that Options.With may have, each with what it does.
func Extras() []string {
	var all []string
	for _, x := range extras {
		all = append(all, fmt.Sprintf("%-10s  %s", x.name, x.does))
	}
	return all
}

// CheckWith returns an error for a name that is none, for two of which a lab can
// have one, or for one that needs another.
func CheckWith(names []string) error {
	_, err := with(names)
	return err
}

// with returns the book's parts, with these extras.
func with(names []string) (parts, error) {
	p := parts{
		strategy: rollingupdate.RollingUpdate{}, scores: plugins.Scores,
		claims: func(s *controlloop.System) statefulset.Claims { return storage.NewDisks(s) },
		disks:  func(folder string) storage.Backend { return storage.Folders(folder) },
	}
	about := map[string]string{}
	for i, name := range names {
		x, err := extraOf(name)
		if err != nil {
			return p, err
		}
		if slices.Contains(names[:i], name) {
			continue
		}
		if other := about[x.about]; x.about != "" && other != "" {
			return p, fmt.Errorf("%s and %s both say %s: choose one", other, name, x.about)
		}
		about[x.about] = name
		x.put(&p)
	}
	if p.noForce && !p.attach {
		return p, errors.New("no-force says how disks are attached: add attach")
	}
	return p, nil
}

// Meant returns the name that is meant: that of an exercise for what earlier editions
// called it. Any other is returned as it is.
func Meant(name string) string {
	if number := numbering.Of(name); slices.ContainsFunc(extras, func(x extra) bool { return x.name == number }) {
		return number
	}
	return name
}

func extraOf(name string) (extra, error) {
	at := slices.IndexFunc(extras, func(x extra) bool { return x.name == name })
	if at < 0 {
		var known []string
		for _, x := range extras {
			known = append(known, x.name)
		}
		return extra{}, fmt.Errorf("there is no %q; there are %s", name, strings.Join(known, ", "))
	}
	return extras[at], nil
}

// replace has controllers that were chosen do it in the way of the parts.
func (p parts) replace(chosen []controller) {
	for i, c := range chosen {
		switch c.name {
		case "deployment-controller":
			chosen[i].add = func(s *controlloop.System) *controlloop.Controller {
				return rollingupdate.NewDeploymentsBy(s, p.strategy)
			}
		case "statefulset-controller":
			chosen[i].add = func(s *controlloop.System) *controlloop.Controller {
				return daemonset.NewStatefulSetsWith(s, p.claims(s))
			}
		}
	}
}

// scheduler returns the constructor of a scheduler that compares nodes in the way
// of the parts.
func (p parts) scheduler() OfCluster {
	return func(s *controlloop.System) *controlloop.Controller {
		return plugins.NewSchedulerWith(s, p.scores())
	}
}

// patience is how long a master may be missing: longer than it takes to end and
// come back, which is up to half a minute, and the time of a start.
const patience = time.Minute

func attacher(l *Lab) OfCluster {
	if l.isAnothers(AttacherName) {
		return nil
	}
	return func(s *controlloop.System) *controlloop.Controller {
		return storage.NewAttacherWith(s, l.parts.noForce)
	}
}

func attachesFolders(*Lab) OfCluster {
	return func(s *controlloop.System) *controlloop.Controller {
		return storage.NewDriverSide(s, storage.Driver)
	}
}

func promoter(l *Lab) OfCluster {
	return func(s *controlloop.System) *controlloop.Controller {
		return promote.New(s, l.hardware.Dial, patience)
	}
}
