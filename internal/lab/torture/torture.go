// Package torture kills real databases in mid-write, and looks at what they
// still know. The command lab torture is its door, and the test that holds the
// real containers to their word plays a few rounds through it.
//
//	torture_linux.go     the rounds: kill, start again, catch up, compare
//	rows.go              the writers, and what the stored rows violate
//	pair_linux.go        a master and a slave of it
//	containers_linux.go  their containers, and how these are killed
//
// It also has whole clusters lose two masters, real ones and, in tests, simulated ones.
//
//	failover.go        the rounds: who is lost, and what must come of it
//	loss.go            how
//	operator.go        an operator that dies at any statement
//	shop.go            orders, and the judge of them
//	cluster.go         three servers, and how they are asked
//	failover_linux.go  a lab with real ones
package torture

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Options say what is done to the two.
type Options struct {
	Rounds  int      // how often one of the servers is killed
	Seed    uint64   // chooses the victims and the moments
	Kill    []string // of Killings: what is killed
	Options []string // of both servers: "name=value"
}

// Killings returns the ways in which a server can be killed.
func Killings() []string { return []string{"mysqld", "container", "pod"} }

// ErrViolated says that a row was not as it had to be. It has been told which.
var ErrViolated = errors.New("rows were violated")

// Check returns an error if there is nothing that can be done.
func (o Options) Check() error {
	for _, kill := range o.Kill {
		if !slices.Contains(Killings(), kill) {
			return fmt.Errorf("--kill %s: there are %s", kill,
				strings.Join(Killings(), ", "))
		}
	}
	if o.Rounds < 1 || len(o.Kill) == 0 {
		return errors.New("nothing to kill, or no round to do it in")
	}
	return nil
}
