package board

import (
	"maps"
	"net/http"
)

// makeRoom empties the seat that has been silent for longest, if that is for long
// enough, and reports whether it has. b.mu is held.
func (b *Board) makeRoom() bool {
	longest := ""
	for id, r := range b.reports {
		if longest == "" || r.at.Before(b.reports[longest].at) {
			longest = id
		}
	}
	if b.Now().Sub(b.reports[longest].at) < silence {
		return false
	}
	delete(b.reports, longest)
	return true
}

// Empty empties the seat of a participant. If they report again, they have one again.
func (b *Board) Empty(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.reports, id)
	b.refused = 0
}

// EmptyOnce empties the seats of all who have reported only once.
func (b *Board) EmptyOnce() {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.reports, func(_ string, r arrival) bool { return r.many == 1 })
	b.refused = 0
}

// empty does what a button of the page says, and goes back to the page.
func (b *Board) empty(w http.ResponseWriter, r *http.Request) {
	if !b.pass().Opens(w, r) {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 1<<10)
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch id := r.PostForm.Get("id"); {
	case id != "":
		b.Empty(id)
	case r.PostForm.Has("once"):
		b.EmptyOnce()
	default:
		http.Error(w, "whose seat? id=ID, or once=yes for all who have reported only once", http.StatusBadRequest)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
