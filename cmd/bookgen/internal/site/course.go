package site

import "reconcile/cmd/bookgen/internal/node"

// TeachFolder holds the pages for instructors, those of each course in a folder
// below it.
const TeachFolder = "teach"

// Course is a way to teach the book: what a room goes through, by the clock.
type Course struct {
	Slug           string // "day": the folder of its pages, below teach
	Title, Summary string
	Body           node.List // what its instructor reads first
	Start          int       // minutes after midnight; of the first evening, if there are several
	Evenings       int       // 1 if it is all in one day
	Target         int       // minutes from beginning to end of each evening, breaks included
	People         int
	Sessions       []Session
}

// Session is what a room does without a long break. One who was lost begins
// anew with it, from its checkpoint.
type Session struct {
	Title   string
	ID      string // of its heading on the course's pages
	Evening int    // from 1
	// Checkpoint is the name by which "lab exercise checkpoint" knows the state in
	// which the session begins: "day:2".
	Checkpoint string
	Items      []Item
}

// Item is a line of the schedule: a Note, a Task, or neither, which is a break or
// something else that people do.
type Item struct {
	At, Minutes int // At is in minutes after midnight
	Title       string
	Body        node.List // what there is to say of it besides; may be empty
	Asks        []Ask     // those in Body, which are no note's
	Before      node.List // what the chapter does to a room, with the first note of it
	Break       bool
	Note        *Note
	Task        *Task
}

// Note says how to teach a section.
type Note struct {
	Chapter int
	Title   string // the section's
	Href    string // its address, relative to the site's root
	ID      string // of the note on a page: the chapter's number, the part unless it is the first, the section's id
	Minutes int
	Say     node.List
	Asks    []Ask
	Shows   []Show
	Watch   node.List // for
}

// Ask is a question to the room.
type Ask struct{ Question, Answer node.List }

// Show is something to look at together, as the chapter shows it.
type Show struct {
	Title          string
	Kind           string    // "code", "transcript", "figure" or "table"
	Body           node.List // its markup in the chapter; of code and transcripts without an id
	Lines, Columns int       // of text; 0 for a figure and a table
	File           string    // the author's file and line that ask for it
	Line           int
}

// Task is an exercise, as a room gets it.
type Task struct {
	Number, Title string
	Kind          string // "write", "predict", "debug", "extend" or "design"
	Href          string // of its statement, relative to the site's root
	Minutes       int
	People        int // whose median that is; 0 if the minutes are a guess
	Needs         []string
	Statement     node.List
	Given         node.List // of a run, to predict the rest or to find the fault; may be empty
	Signatures    node.List // of what is to be written; may be empty
	Tests         []string  // that judge it
	Answer        node.List
	Wrong         []Slip
}

// Slip is a wrong answer that people really give, by its name.
type Slip struct {
	Name     string
	Why      node.List
	CaughtBy []string // tests
}
