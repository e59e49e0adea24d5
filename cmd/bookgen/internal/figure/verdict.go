package figure

import (
	"errors"
	"fmt"
	"slices"
)

// A verdict is the data of a decision: what became of each node, and who won.
type verdict struct {
	Title   string      `json:"title"`
	Pod     string      `json:"pod"`
	Filters []string    `json:"filters"` // in the order they are asked
	Scores  []measure   `json:"scores"`
	Nodes   []candidate `json:"nodes"`
	Chosen  string      `json:"chosen"` // "": no node
}

// A measure is what nodes get points for, and how much that counts.
type measure struct {
	Name   string `json:"name"`
	Weight int    `json:"weight"`
}

// A candidate was refused, or else has points.
type candidate struct {
	Name    string   `json:"name"`
	Refused *refusal `json:"refused"`
	Scores  []int    `json:"scores"` // 0 to 100, for each of the verdict's
	Sum     int      `json:"sum"`    // of points times weights

	stop int // index of the filter that refused it, or how many there are
}

type refusal struct {
	Filter string `json:"filter"`
	Why    string `json:"why"`
}

const (
	maxNodes    = 8
	maxFilters  = 12
	maxMeasures = 8
)

func readVerdict(data []byte) (*verdict, error) {
	var v verdict
	if err := decode(data, &v); err != nil {
		return nil, err
	}
	switch n := len(v.Nodes); {
	case v.Pod == "":
		return nil, errors.New("the Pod needs a name")
	case n == 0 || n > maxNodes:
		return nil, fmt.Errorf("%d nodes: a page has room for 1 to %d", n, maxNodes)
	case len(v.Filters) == 0 || len(v.Filters) > maxFilters:
		return nil, fmt.Errorf("%d filters: a page has room for 1 to %d", len(v.Filters), maxFilters)
	case len(v.Scores) > maxMeasures:
		return nil, fmt.Errorf("%d scores: a page has room for %d", len(v.Scores), maxMeasures)
	}
	known := map[string]bool{}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		if n.Name == "" || known[n.Name] {
			return nil, fmt.Errorf("nodes[%d]: name %q is empty or taken", i, n.Name)
		}
		known[n.Name] = true
		if err := v.check(n); err != nil {
			return nil, fmt.Errorf("nodes[%d] %s: %w", i, n.Name, err)
		}
	}
	return &v, v.checkChosen()
}

// check checks a node, and finds where it was stopped.
func (v *verdict) check(n *candidate) error {
	n.stop = len(v.Filters)
	if len([]rune(n.Name)) > maxName {
		return fmt.Errorf("a page has room for %d signs of it", maxName)
	}
	if n.Refused == nil {
		return v.checkSum(n)
	}
	n.stop = slices.Index(v.Filters, n.Refused.Filter)
	switch {
	case n.stop < 0:
		return fmt.Errorf("it was refused by %q, which is not one of filters", n.Refused.Filter)
	case n.Refused.Why == "":
		return errors.New("it does not say why it was refused")
	case len(n.Scores) > 0 || n.Sum != 0:
		return errors.New("it was refused, and has scores")
	}
	return nil
}

// checkSum adds up what a node that was not refused has got.
func (v *verdict) checkSum(n *candidate) error {
	if len(n.Scores) != len(v.Scores) {
		return fmt.Errorf("it has %d scores, of %d", len(n.Scores), len(v.Scores))
	}
	sum := 0
	for i, points := range n.Scores {
		if points < 0 || points > 100 {
			return fmt.Errorf("%d points for %s: there are 0 to 100", points, v.Scores[i].Name)
		}
		sum += points * v.Scores[i].Weight
	}
	if sum != n.Sum {
		return fmt.Errorf("its scores add up to %d, and sum is %d", sum, n.Sum)
	}
	return nil
}

// checkChosen makes sure that no node has more than the chosen one.
func (v *verdict) checkChosen() error {
	passed := v.passed()
	if len(passed) == 0 && v.Chosen == "" {
		return nil
	}
	chosen := slices.IndexFunc(passed, v.won)
	switch {
	case chosen < 0:
		return fmt.Errorf("chosen is %q, of %d nodes that no filter refused", v.Chosen, len(passed))
	case len(v.Scores) == 0 && len(passed) > 1:
		return fmt.Errorf("no scores, and %d nodes to choose from", len(passed))
	}
	for _, n := range passed {
		if n.Sum > passed[chosen].Sum {
			return fmt.Errorf("chosen is %s with %d, and %s has %d", v.Chosen, passed[chosen].Sum, n.Name, n.Sum)
		}
	}
	return nil
}

// passed are the nodes that no filter refused.
func (v *verdict) passed() (all []candidate) {
	for _, n := range v.Nodes {
		if n.Refused == nil {
			all = append(all, n)
		}
	}
	return all
}

func (v *verdict) won(n candidate) bool { return n.Name == v.Chosen }

// words are what filter i said to those it refused: once, if it said the same
// to all, or else with their names.
func (v *verdict) words(i int) (all []string) {
	var names []string
	for _, n := range v.Nodes {
		if n.stop == i {
			all = append(all, n.Refused.Why)
			names = append(names, n.Name)
		}
	}
	if len(slices.Compact(slices.Clone(all))) <= 1 {
		return all[:min(1, len(all))]
	}
	for j := range all {
		all[j] = names[j] + ": " + all[j]
	}
	return all
}
