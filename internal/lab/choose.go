package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// All chooses every controller.
var All = []string{"*"}

// Choose reads a list of controllers as kube-controller-manager's --controllers
// has it: "*" is all of them, "name" is this one, "-name" is all but this one;
// of two that contradict each other the first counts. Two things are added: a
// list that only takes away takes away from all, and "none" is none.
func Choose(list []string) ([]controller, error) {
	if list == nil {
		list = All
	}
	for _, item := range list {
		if err := checkName(item); err != nil {
			return nil, err
		}
	}
	if len(list) > 0 && !slices.ContainsFunc(list, adds) {
		list = append(slices.Clone(list), All...)
	}
	var chosen []controller
	for _, c := range controllers {
		if c.isIn(list) {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

// adds reports whether an item of a list is more than "all but this one".
func adds(item string) bool { return !strings.HasPrefix(item, "-") }

func checkName(item string) error {
	name := strings.TrimPrefix(item, "-")
	if item == "*" || item == "none" || name == "" && item == "" {
		return nil
	}
	if _, ok := named(name); ok {
		return nil
	}
	return fmt.Errorf("there is no controller %q here; there are: %s",
		name, strings.Join(Names(), ", "))
}

// named returns the controller of a name or an alias, and reports whether there
// is one.
func named(name string) (controller, bool) {
	at := slices.IndexFunc(controllers, func(c controller) bool {
		return c.is(name)
	})
	if at < 0 {
		return controller{}, false
	}
	return controllers[at], true
}

// Alias returns the shorter name of a controller, or the one that it has.
func Alias(name string) string {
	c, _ := named(name)
	return cmp.Or(c.alias, name)
}

func (c controller) is(name string) bool {
	return name == c.name || name != "" && name == c.alias
}

func (c controller) isIn(list []string) bool {
	for _, item := range list {
		switch {
		case c.is(item):
			return true
		case c.is(strings.TrimPrefix(item, "-")):
			return false
		}
	}
	return slices.Contains(list, "*")
}

// SchedulerName is what the scheduler is called in a list of controllers for
// another cluster, or of another program. In a lab nodes bring it along.
const SchedulerName = "scheduler"

// AttacherName is kube-controller-manager's name of the controller that attaches
// disks, which a lab has with an extra.
const AttacherName = "persistentvolume-attach-detach-controller"

// Others returns those of Options.Others that the lab would have itself.
func (l *Lab) Others() []string {
	var all []string
	for _, name := range l.opts.Others {
		if name == SchedulerName || name == AttacherName && l.parts.attach || l.chose(name) {
			all = append(all, name)
		}
	}
	return all
}

// isAnothers reports whether another program has the place of a controller.
func (l *Lab) isAnothers(name string) bool { return slices.Contains(l.opts.Others, name) }

// Names returns the names of all controllers, with their aliases.
func Names() []string {
	var names []string
	for _, c := range controllers {
		name := c.name
		if c.alias != "" {
			name += " (or " + c.alias + ")"
		}
		names = append(names, name)
	}
	return names
}
