// Package told judges histories of a shop's orders: whether the master still has
// what a client was told.
package told

import "slices"

// Order is a row of the shop's table.
type Order struct{ ID, Cups int }

// Event is something that happened.
type Event struct {
	Is     Kind
	Order  Order              // Sent, Told: what the order is to be; no cups: it is cancelled
	Master string             // Seen: the server that the writers reach; "": none
	Tables map[string][]Order // Seen: of each server that answers, in any order
}

// Kind says what happened.
type Kind int

const (
	Sent Kind = iota // a client has sent an order, or a change of one
	Told             // it was told that this is kept
	Seen             // all servers were looked at
)

// Broken returns the index of the first event at which the master does not have
// what was told, or -1.
//
//book:exercise 7q
func Broken(history []Event) int {
	may := map[int][]int{} // by ID: how many cups an order may have; 0: it may be missing
	for i, event := range history {
		id, cups := event.Order.ID, event.Order.Cups
		switch {
		case event.Is == Sent && may[id] == nil:
			may[id] = []int{0, cups}
		case event.Is == Sent:
			may[id] = append(may[id], cups)
		case event.Is == Told:
			may[id] = []int{cups}
		case event.Master != "":
			has := map[int]int{}
			for _, order := range event.Tables[event.Master] {
				if has[order.ID] != 0 {
					return i // it is there twice
				}
				has[order.ID] = order.Cups
			}
			for id, cups := range may {
				if !slices.Contains(cups, has[id]) {
					return i
				}
			}
		}
	}
	return -1
}
