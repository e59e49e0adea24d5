package site

import (
	"html/template"
	"time"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/play"
)

// Book is everything that the site shows.
type Book struct {
	Title, Subtitle string
	Description     string     // one or two sentences, for search engines and link previews
	Imprint                    // whose it is
	CoverPicture    []byte     // a PNG for shops; nil if there is none
	Edition         string     // its number and day; the front page says it at its foot
	Editions        []Edition  // this one and those before, the newest first
	URL             string     // where the site will be served; empty if unknown
	Source          string     // where the repository's files are shown; empty if unknown
	Report          string     // where a mistake is reported, with {title} and {body}; empty if unknown
	Previews        bool       // each page has a picture for previews of links: see Cards
	Play            *Play      // what a cluster in a page begins with; nil: the site has no engine
	Loop            []Act      // what the front page's drawing plays; may be empty
	Home            node.List  // the front page's prose, without an h1
	Beside          []*Beside  // pages of no chapter
	End             *Beside    // the one of them that follows the last chapter, or nil
	Symptoms        *Beside    // the one for who comes with a symptom, or nil
	Licence         *Beside    // the one that each page leads to at its foot, or nil
	Chapters        []*Chapter // all of them, in reading order, written or not
	Symbols         []*Symbol
	Terms           []Term // the book's words
	Courses         []*Course
	Moved           map[string]string // addresses that pages had, from the site's root, and where they are
	Texts           map[string][]byte // files that are no pages and that pages lead to, by their paths from the site's root
}

// Imprint says whose the book is. Any of it may be empty.
type Imprint struct {
	Author, Publisher string
	Rights            string // what one may do with the book, in a sentence
	UUID              string // its name for libraries and shops, in all editions
}

// Day returns the day of the edition.
func (b *Book) Day() time.Time { return b.Editions[0].Day }

// Edition is one of the book's, as the feed has it.
type Edition struct {
	Name    string // "Edition 4, 30 November 2026"
	Day     time.Time
	Changes string // as HTML; may be empty
}

// Play is what the page of an empty cluster offers. A clone's pages have no word of it.
type Play struct{ Beginnings, Gallery []play.Scene }

// Act is a write of a recorded run.
type Act struct {
	After    string // since the run began: "+1s"
	By, Does string // "replicaset", "creates Pod web-w7c5r: Pending"
	Ready    int    // Pods, from then on
	Line     string // of the code that made it: "create, replicaset_pods.go:25"; empty if it is none of the book's
	Href     string // where that stands, relative to the site's root
}

// Beside is a page that is of no chapter, and stands beside all of them.
type Beside struct {
	File           string // its path from the site's root
	Title, Summary string
	Search         string // what search engines are told that it is about; "" for its title
	Index          bool   // of sentences: it's searched, and isn't bound
	Body           node.List
	Sections       []Section
	Text           []SearchEntry
}

// Term is one of the book's words.
type Term struct {
	Name    string
	Meaning node.List // a sentence, as it stands in a paragraph
	Text    string    // the same without markup
	Others  string    // what it is called besides, with commas between the names, Chinese included
	Place   Use       // where it is explained
	Code    Use       // that builds it, if it stands elsewhere
}

// Chapter is one chapter. Unless it is Written only its number, slug, title and
// summary are known, and it gets no page.
type Chapter struct {
	Number         int
	Slug           string // "01-control-loop", the folder of its pages
	Title, Summary string
	Map            node.List // who writes what, by now; may be empty
	MapTitle       string
	Written        bool
	Parts          []*Part        // in reading order, those that are read first; none if not Written
	Lent           []ExerciseLink // exercises on pages beside the chapters
	Listings       []Listing
	Text           []SearchEntry // of its code
}

// Part is a page of a chapter's text. The only one that is read has the chapter's title.
type Part struct {
	Slug           string // the folder of its page: "01-control-loop/the-kubelet"
	Page           string // its number in the book: "1.2", or that of the chapter if it has none
	Search         string // what search engines are told that it is about; "" for its title
	Compared       bool   // it says how the chapter differs from Kubernetes, and is not read through
	Beneath        bool   // it goes underneath what the chapter tells: the way through the book leaves it out
	Title, Summary string
	Words, Lines   int // of text, and of code and output that stand open
	Body           node.List
	Initial        bool    // Body begins with a paragraph that is long enough for one
	Opening        Section // what stands before the first section
	Sections       []Section
	Exercises      []ExerciseLink
	Text           []SearchEntry
}

// Section is a heading of a part: h2 or h3.
type Section struct {
	ID, Title string
	Level     int
	Short     bool // it is on the short path

	Words, Lines int // up to the next section
}

// ExerciseLink says where an exercise stands.
type ExerciseLink struct {
	Number, Title string
	Minutes       int
	Page          string // its path from the site's root
	Anchor        string // id on the page, without "#"
}

// Listing is a whole source file. Its page is <chapter slug>/<File>.html.
type Listing struct {
	File   string          // relative to the chapter's folder, with slashes
	Title  string          // in place of the file's name; may be empty
	Body   node.List       // of a text like a chapter's, to be shown as it is
	Code   []template.HTML // the lines of code; the site numbers them and gives them the ids L1, L2, …
	Test   bool
	Folds  []Fold  // of its lines, in order
	Leant  bool    // its chapter leans on it, and does not teach it
	Places []Place // of its lines on pages, in order
	On     []On    // the same page by page
	Sheet  *Sheet  // to predict a run on; nil if there's none to predict
}

// A Sheet is what the page of an exercise knows of a run that is to be predicted.
type Sheet struct {
	Number      string            `json:"number"`
	Title       string            `json:"title"`
	Chapter     string            `json:"chapter"` // its folder
	Head        string            `json:"head"`    // of lab's file, which is a comment
	Given       string            `json:"given"`   // and what stands below that at first
	Lines       []string          `json:"lines"`   // of the run
	Rows        bool              `json:"rows"`    // each has a name
	Predictions []WrongPrediction `json:"predictions"`
}

// WrongPrediction is a wrong prediction that has a name.
type WrongPrediction struct {
	Name  string `json:"name"`
	At    int    `json:"at"`    // the line at which it parts from the run
	First string `json:"first"` // what it says there
	Line  int    `json:"line"`  // of the exercise's file, and of the page
}

// A Place is where lines of a listing stand on a page.
type Place struct {
	First, Last int
	Use
	Page string // its number: "1.2"
}

// On says which lines of a listing are on a page: "12–40, 52".
type On struct {
	Use
	Lines string
}

// Symbol is a declaration in a chapter's code.
type Symbol struct {
	Name, Kind          string
	Chapter             string // slug
	File                string
	Line                int
	Signature, Synopsis string
	Href                string // the address of the page that shows it, relative to the site's root
	Statement           string // of the exercise to write it, or empty; likewise
	Uses                []Use
}

// Use is a place that shows a use of a symbol.
type Use struct{ Href, Label string }

// SearchEntry is something that the search can find. Kinds are "term", "chapter",
// "part", "section", "exercise", "kubectl", "symbol", "field" and "test".
type SearchEntry struct {
	Title, Href, Text string // Href is relative to the site's root
	Others            string // other names, with commas between them
	Kind              string
}
