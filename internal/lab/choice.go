package lab

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Choices say by name what a lab is made of where the book, or one of its
// exercises, has more than one way. The empty name is the book's way.
type Choices struct {
	Strategy string // how Deployments roll
	Keep     string // what Pods of StatefulSets keep
	Disks    string // what makes disks and throws them away
	Scores   string // by which nodes are compared
	Network  string // what connects Pods
	Operator string // which controller looks after a MySQL master
	Ended    string // what becomes of Pods that have ended
}

// Flag is one of the Choices, as a command line has it.
type Flag struct {
	Name, Default, Help string
	Value               *string
	Check               func() error // says why Value is no name
}

// Flags returns a flag for each of the Choices.
func (c *Choices) Flags() []Flag {
	return []Flag{
		strategies.flag("strategy", "how Deployments roll", &c.Strategy),
		backends.flag("disks", "what makes disks and throws them away", &c.Disks),
		keepings.flag("keep", "what Pods of StatefulSets keep", &c.Keep),
		scores.flag("scores", "by which scores nodes are compared", &c.Scores),
		networks.flag("network", "what connects Pods", &c.Network),
		operators.flag("operator", "who else looks after a MySQL master", &c.Operator),
		ended.flag("ended", "what becomes of Pods that have ended", &c.Ended),
	}
}

// Check returns an error for a Choice whose name does not exist.
func (c Choices) Check() error {
	for _, flag := range c.Flags() {
		if err := flag.Check(); err != nil {
			return err
		}
	}
	return nil
}

// choice holds the values of one of the Choices, by name.
type choice[T any] struct {
	of     map[string]T
	common string // the name of the book's
	// refusal is the message for another name: it takes that name, and the
	// known ones with between between them.
	refusal, between string
}

// named returns the value of a name, or the book's if name is "".
func (c choice[T]) named(name string) T { return c.of[cmp.Or(name, c.common)] }

func (c choice[T]) flag(name, help string, value *string) Flag {
	names := slices.Sorted(maps.Keys(c.of))
	return Flag{
		Name: name, Default: c.common, Value: value,
		Help: help + ": " + strings.Join(names, " or "),
		Check: func() error {
			if _, known := c.of[cmp.Or(*value, c.common)]; !known {
				return fmt.Errorf(c.refusal, *value, strings.Join(names, c.between))
			}
			return nil
		},
	}
}
