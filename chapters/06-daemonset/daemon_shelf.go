package daemonset

import "container/heap"

// shelf holds the names of nodes, and hands out the first in order. What is
// taken off it, or put there, costs the same however much there is; but for the
// logarithm.
type shelf struct {
	names names
	// on says of every name in names whether it is on the shelf still: to look
	// for it in the middle of the heap would take longer.
	on map[string]bool
}

func newShelf() *shelf { return &shelf{on: map[string]bool{}} }

// put puts a name on the shelf, or takes it off.
func (s *shelf) put(name string, on bool) {
	_, known := s.on[name]
	if on && !known {
		heap.Push(&s.names, name)
	}
	if on || known {
		s.on[name] = on
	}
}

// take takes the first n names off the shelf, or all.
func (s *shelf) take(n int) (first []string) {
	for len(first) < n && len(s.names) > 0 {
		name := heap.Pop(&s.names).(string)
		if s.on[name] {
			first = append(first, name)
		}
		delete(s.on, name)
	}
	return first
}

// names implements heap.Interface.
type names []string

func (n names) Len() int           { return len(n) }
func (n names) Less(i, j int) bool { return n[i] < n[j] }
func (n names) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }
func (n *names) Push(name any)     { *n = append(*n, name.(string)) }

func (n *names) Pop() any {
	all := *n
	*n = all[:len(all)-1]
	return all[len(all)-1]
}
