package chaos

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Op is what a change does.
type Op string

// The changes.
const (
	Create Op = "create"
	Scale  Op = "scale"
	Roll   Op = "roll"
	Delete Op = "delete"
)

// Ops are all of them.
var Ops = []Op{Create, Scale, Roll, Delete}

// Object is one that is changed.
type Object struct{ Kind, Name string }

// String names an object.
func (o Object) String() string { return o.Kind + " " + o.Name }

// The kinds of objects.
const (
	Deployment  = "Deployment"
	StatefulSet = "StatefulSet"
	DaemonSet   = "DaemonSet"
)

// Objects are all that are created and deleted, again and again.
var Objects = []Object{
	{Deployment, "web-1"}, {Deployment, "web-2"}, {Deployment, "web-3"}, {Deployment, "web-4"},
	{StatefulSet, "db-1"}, {StatefulSet, "db-2"}, {StatefulSet, "db-3"},
	{DaemonSet, "agent-1"}, {DaemonSet, "agent-2"},
}

// Change is one that is planned.
type Change struct {
	Object
	At         time.Duration
	Op         Op
	Replicas   int32 // of creations and scalings
	Image      string
	Foreground bool // its Pods are deleted before itself
}

// String says what a change asks for.
func (c Change) String() string {
	switch c.Op {
	case Create:
		if c.Kind == DaemonSet {
			return fmt.Sprintf("create %s of %s", c.Object, c.Image)
		}
		return fmt.Sprintf("create %s of %d Pods of %s", c.Object, c.Replicas, c.Image)
	case Scale:
		return fmt.Sprintf("scale %s to %d", c.Object, c.Replicas)
	case Roll:
		return fmt.Sprintf("roll %s to %s", c.Object, c.Image)
	}
	if c.Foreground {
		return fmt.Sprintf("delete %s, its Pods first", c.Object)
	}
	return fmt.Sprintf("delete %s", c.Object)
}

// images are known to the simulated nodes.
var images = []string{"nginx:1.27", "nginx:1.28", "nginx:1.29"}

// changes draws those of a plan, as if all of them succeeded.
func changes(dice *rand.Rand, length time.Duration) (all []Change) {
	there := map[Object]bool{}
	for at := time.Duration(0); ; {
		if at += between(dice, 500*time.Millisecond, 3500*time.Millisecond); at > length {
			return all
		}
		c := Change{
			At: at, Object: Objects[dice.IntN(len(Objects))], Op: Scale,
			Image: images[dice.IntN(len(images))], Foreground: dice.IntN(3) == 0,
		}
		c.Replicas = int32(dice.IntN(most(c.Kind) + 1))
		switch n := dice.IntN(100); {
		case !there[c.Object]:
			c.Op, there[c.Object] = Create, true
		case n < 12:
			c.Op, there[c.Object] = Delete, false
		case n < 60 || c.Kind == DaemonSet:
			c.Op = Roll
		}
		all = append(all, c)
	}
}

// most is how many Pods one has.
func most(kind string) int {
	if kind == StatefulSet {
		return 5
	}
	return 12
}
