package board

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"reconcile/internal/exercise/numbering"
	"reconcile/internal/httpserve"
)

// idleAfter is how long nothing has happened to somebody who may need help.
const idleAfter = 10 * time.Minute

// most is how many participants a board has room for.
const most = 200

// silence is after how long somebody's seat may go to another.
const silence = time.Hour

// Options say who may do what.
type Options struct {
	Send      string // the token that reports must carry; "": none
	Read      string // the token of who may look
	Exercises []string
	Now       func() time.Time
}

// Board holds the last report of each participant. It implements http.Handler:
// POST /report takes one, GET / is the page, GET /text the same for a terminal, and
// POST /empty is what the page's buttons do.
type Board struct {
	Options

	mu      sync.Mutex
	reports map[string]arrival // by id
	refused int                // reports for which there was no room
}

// arrival is a report, and when it came by the board's clock: a participant's may be
// wrong, so it says only how long before it was sent something happened.
type arrival struct {
	Report
	at   time.Time
	many int // reports that came from them
}

// New returns an empty board.
func New(o Options) *Board { return &Board{Options: o, reports: map[string]arrival{}} }

// ServeHTTP implements http.Handler.
func (b *Board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/report" && len(b.Open()) > 0 && r.Method == http.MethodOptions:
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "Authorization")
	case r.URL.Path == "/report" && r.Method == http.MethodPost:
		b.receive(w, r)
	case r.URL.Path == "/empty" && r.Method == http.MethodPost:
		b.empty(w, r)
	case r.Method != http.MethodGet:
		http.Error(w, "reports go to /report", http.StatusMethodNotAllowed)
	case !b.pass().Opens(w, r):
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_ = page.Execute(w, b.Class()) // a browser that has gone
	case r.URL.Path == "/text":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_ = b.Class().Print(w)
	default:
		http.NotFound(w, r)
	}
}

// Open returns what pages of other sites may send, which is a report: the book's pages
// have an address of their own. A token keeps strangers' pages out; a board that asks for
// none takes no page's.
func (b *Board) Open() []string {
	if b.Send == "" {
		return nil
	}
	return []string{"POST /report"}
}

// receive takes the report of a request.
func (b *Board) receive(w http.ResponseWriter, r *http.Request) {
	if len(b.Open()) > 0 {
		w.Header().Set("Access-Control-Allow-Origin", "*") // a page hears what is said to it
	}
	if b.Send != "" && !httpserve.Bears(r, b.Send) {
		http.Error(w, "the token is wrong, or missing: lab exercise report --token", http.StatusUnauthorized)
		return
	}
	report, err := Read(http.MaxBytesReader(w, r.Body, largest))
	if err == nil {
		err = report.within(b.Exercises)
	}
	switch {
	case httpserve.IsLate(err):
		http.Error(w, "the report did not arrive in time", http.StatusRequestTimeout)
	case httpserve.IsLarge(err):
		http.Error(w, fmt.Sprintf("a report has up to %d bytes", largest), http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case !b.AddReport(report):
		http.Error(w, full, http.StatusServiceUnavailable)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// full says why somebody is not on the board, to them and to the instructor.
const full = "the board is full: it has room for 200 participants"

// pass lets those in who have opened the address with the token. A projector shows
// an address without it, which opens nothing.
func (b *Board) pass() httpserve.Pass {
	return httpserve.Pass{
		Token: b.Read, Cookie: "reconcile-board", Path: "/", SameSite: http.SameSiteLaxMode,
		Remedy: "this is for the instructor, who opens the address that the board printed",
	}
}

// AddReport puts a report in the place of its participant's last. When the board is full,
// the seat goes to a new one that has been silent for longest, and for an hour. It
// reports whether there is room.
func (b *Board) AddReport(r Report) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	before, known := b.reports[r.ID]
	if !known && len(b.reports) == most && !b.makeRoom() {
		b.refused++
		return false
	}
	b.reports[r.ID] = arrival{r, b.Now(), before.many + 1}
	return true
}

// A Class is what the board shows at a moment.
type Class struct {
	At        time.Time
	People    []Person
	Once      int // how many of them have reported only once
	Exercises []Standing
	Refused   string // why people are missing; "": none is
}

// Person is a participant.
type Person struct {
	ID     string
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

// Class returns the class as it is now. Who wants help comes first, then who has
// been idle for longest.
func (b *Board) Class() Class {
	b.mu.Lock()
	defer b.mu.Unlock()
	class := Class{At: b.Now()}
	if b.refused > 0 {
		class.Refused = fmt.Sprintf("%s, and has refused %d reports of others", full, b.refused)
	}
	standings := map[string]*Standing{}
	tests, wrongs := map[string]map[string]int{}, map[string]map[string]int{}
	for _, r := range b.reports {
		class.People = append(class.People, r.person(class.At))
		if r.many == 1 {
			class.Once++
		}
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
	slices.SortFunc(class.Exercises, func(a, b Standing) int { return numbering.Compare(a.Number, b.Number) })
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

func (r arrival) person(at time.Time) Person {
	p := Person{ID: r.ID, Name: cmp.Or(r.Name, "no name "+r.ID[:min(4, len(r.ID))]), Flag: r.Flag}
	for _, l := range r.Exercises {
		if l.Passed {
			p.Passed++
		}
	}
	if l := r.now(); l != nil {
		p.Now, p.Tries, p.Done = l.Number, l.Attempts, l.Passed
		if idle := at.Sub(r.at) + r.Sent.Sub(r.last()); idle >= idleAfter && !l.Passed && r.Flag != Green {
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
