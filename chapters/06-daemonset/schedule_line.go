package daemonset

import "time"

// line is a heap of Pods: the one whose turn is next is first.
type line struct {
	pods []*waiting
	less func(a, b *waiting) bool
}

func (l *line) first() *waiting {
	if len(l.pods) == 0 {
		return nil
	}
	return l.pods[0]
}

func (l *line) due() time.Time {
	if w := l.first(); w != nil {
		return w.due
	}
	return time.Time{}
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (l *line) Len() int           { return len(l.pods) }
func (l *line) Less(i, j int) bool { return l.less(l.pods[i], l.pods[j]) }

func (l *line) Swap(i, j int) {
	l.pods[i], l.pods[j] = l.pods[j], l.pods[i]
	l.pods[i].at, l.pods[j].at = i, j
}

func (l *line) Push(x any) {
	w := x.(*waiting)
	w.at = len(l.pods)
	l.pods = append(l.pods, w)
}

func (l *line) Pop() any {
	last := len(l.pods) - 1
	w := l.pods[last]
	l.pods[last] = nil
	l.pods = l.pods[:last]
	return w
}
