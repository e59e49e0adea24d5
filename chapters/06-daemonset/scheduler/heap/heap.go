// Package heap keeps values in an order of which only the first is needed, and
// lets each of them be moved or removed wherever it is. (Kubernetes:
// pkg/scheduler/backend/heap.)
package heap

import "container/heap"

// Item is what a heap holds. It knows where it is.
type Item interface{ Place() *Place }

// Place says in which heap an item is, and at which index.
type Place struct {
	in heap.Interface // nil: in none
	at int
}

// Heap holds items; the one that comes before all others is first.
type Heap[T Item] struct {
	items []T
	less  func(a, b T) bool
}

// New returns an empty heap with this order.
func New[T Item](less func(a, b T) bool) *Heap[T] {
	return &Heap[T]{less: less}
}

// First returns the first item, or the zero value if there is none.
func (h *Heap[T]) First() (first T) {
	if len(h.items) > 0 {
		first = h.items[0]
	}
	return first
}

// Add puts an item into the heap.
func (h *Heap[T]) Add(item T) { heap.Push(h, item) }

// Remove takes an item out of the heap that it is in, if it is in one.
func Remove(item Item) {
	if p := item.Place(); p.in != nil {
		heap.Remove(p.in, p.at)
	}
}

// Fix moves an item of which the order has changed.
func Fix(item Item) {
	if p := item.Place(); p.in != nil {
		heap.Fix(p.in, p.at)
	}
}

// Len, Less, Swap, Push and Pop implement container/heap's Interface.
func (h *Heap[T]) Len() int           { return len(h.items) }
func (h *Heap[T]) Less(i, j int) bool { return h.less(h.items[i], h.items[j]) }

func (h *Heap[T]) Swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	h.items[i].Place().at, h.items[j].Place().at = i, j
}

func (h *Heap[T]) Push(x any) {
	item := x.(T)
	*item.Place() = Place{h, len(h.items)}
	h.items = append(h.items, item)
}

func (h *Heap[T]) Pop() any {
	last := len(h.items) - 1
	item := h.items[last]
	*item.Place() = Place{}
	var none T
	h.items[last], h.items = none, h.items[:last]
	return item
}
