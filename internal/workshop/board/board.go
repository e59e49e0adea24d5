package board

import (
	"cmp"
	"crypto/subtle"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"reconcile/internal/exercise"
)

// idleAfter is how long nothing has happened to somebody who may need help.
const idleAfter = 10 * time.Minute

// Board holds the last report of each participant. It implements http.Handler:
// POST /report takes one, GET / is the page, GET /text the same for a terminal.
type Board struct {
	token string // that requests must carry; "": none
	now   func() time.Time

	mu      sync.Mutex
	reports map[string]Report // by id
}

// New returns an empty board.
func New(token string, now func() time.Time) *Board {
	return &Board{token: token, now: now, reports: map[string]Report{}}
}

// ServeHTTP implements http.Handler.
func (b *Board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !b.admits(r):
		http.Error(w, "the token is wrong, or missing: lab exercise report --token", http.StatusUnauthorized)
	case r.URL.Path == "/report" && r.Method == http.MethodPost:
		report, err := Read(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		b.Take(report)
		w.WriteHeader(http.StatusNoContent)
	case r.Method != http.MethodGet:
		http.Error(w, "reports go to /report", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_ = page.Execute(w, b.Look()) // a browser that has gone
	case r.URL.Path == "/text":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_ = b.Look().Print(w)
	default:
		http.NotFound(w, r)
	}
}

// admits reports whether a request has the token, in its header or, as a browser
// has it, in its address.
func (b *Board) admits(r *http.Request) bool {
	if b.token == "" {
		return true
	}
	said := cmp.Or(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), r.URL.Query().Get("token"))
	return subtle.ConstantTimeCompare([]byte(said), []byte(b.token)) == 1
}

// Take puts a report in the place of its participant's last, unless that is
// newer.
func (b *Board) Take(r Report) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if before, ok := b.reports[r.ID]; !ok || !r.Sent.Before(before.Sent) {
		b.reports[r.ID] = r
	}
}

// A Class is what the board shows at a moment.
type Class struct {
	At        time.Time
	People    []Person
	Exercises []Standing
}

// Person is a participant.
type Person struct {
	Name   string // or what can be said of one who gave none
	Flag   Flag
	Now    string // the exercise; "" before the first
	Passed int
	Tries  int  // at that exercise
	Idle   int  // minutes without a test; 0 if they aren't worth a word
	Done   bool // with the exercise
}

// Standing is how an exercise goes.
type Standing struct {
	Number                 string
	Started, Passed, Hints int
	StoppedBy              []Count // tests that stop those who have not passed, most first
	LooksLike              []Count // named wrong answers that they gave
}

// Count says how many.
type Count struct {
	What string
	Many int
}

// Look returns the class as it is now. Who wants help comes first, then who has
// been idle for longest.
func (b *Board) Look() Class {
	b.mu.Lock()
	defer b.mu.Unlock()
	class := Class{At: b.now()}
	standings := map[string]*Standing{}
	tests, wrongs := map[string]map[string]int{}, map[string]map[string]int{}
	for _, r := range b.reports {
		class.People = append(class.People, r.person(class.At))
		for _, l := range r.Exercises {
			s := standings[l.Number]
			if s == nil {
				s = &Standing{Number: l.Number}
				standings[l.Number], tests[l.Number], wrongs[l.Number] = s, map[string]int{}, map[string]int{}
			}
			s.Started++
			s.Hints += l.Hints
			if l.Passed {
				s.Passed++
			}
			for _, test := range l.Failing {
				tests[l.Number][test]++
			}
			for _, wrong := range l.LooksLike {
				wrongs[l.Number][wrong]++
			}
		}
	}
	for number, s := range standings {
		s.StoppedBy, s.LooksLike = counts(tests[number]), counts(wrongs[number])
		class.Exercises = append(class.Exercises, *s)
	}
	slices.SortFunc(class.Exercises, func(a, b Standing) int { return exercise.Compare(a.Number, b.Number) })
	slices.SortFunc(class.People, func(a, b Person) int {
		return cmp.Or(needs(b)-needs(a), b.Idle-a.Idle, strings.Compare(a.Name, b.Name))
	})
	return class
}

func needs(p Person) int {
	switch {
	case p.Flag == Red:
		return 2
	case p.Idle > 0:
		return 1
	}
	return 0
}

func (r Report) person(at time.Time) Person {
	p := Person{Name: cmp.Or(r.Name, "no name "+r.ID[:min(4, len(r.ID))]), Flag: r.Flag}
	for _, l := range r.Exercises {
		if l.Passed {
			p.Passed++
		}
	}
	if l := r.now(); l != nil {
		p.Now, p.Tries, p.Done = l.Number, l.Attempts, l.Passed
		if idle := at.Sub(r.last()); idle >= idleAfter && !l.Passed && r.Flag != Green {
			p.Idle = int(idle.Minutes())
		}
	}
	return p
}

// counts returns the most frequent first.
func counts(of map[string]int) []Count {
	var all []Count
	for _, what := range slices.Sorted(maps.Keys(of)) {
		all = append(all, Count{what, of[what]})
	}
	slices.SortStableFunc(all, func(a, b Count) int { return b.Many - a.Many })
	return all
}

// String returns "TestPlan 3".
func (c Count) String() string { return fmt.Sprintf("%s %d", c.What, c.Many) }
