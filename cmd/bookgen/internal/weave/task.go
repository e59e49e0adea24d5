package weave

import (
	"strings"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

// taskOf has the words for what an exercise asks for, if it isn't a function of the
// chapter.
var taskOf = map[exercise.Kind]string{
	exercise.Predict: "predict a run · ",
	exercise.Debug:   "find the fault · ",
	exercise.Extend:  "write one of your own · ",
	exercise.Design:  "think · ",
}

// kindOf returns the first words of an exercise: the kind of task, how hard it is,
// and how long it takes.
func kindOf(e *exercise.Exercise) string {
	return taskOf[e.Kind] + string(e.Difficulty) + " · " + e.Span.String()
}

// files returns links to the files of the chapter that hold the functions to
// write.
func (p *page) files(e *exercise.Exercise) []*html.Node {
	var links []*html.Node
	var before *source.File
	if e.Kind != exercise.Write {
		return nil
	}
	for _, f := range e.Functions {
		if f.File != before {
			links = append(links, node.New("a", node.Href(p.chapter.ListingHref(f.File, f.Line)), p.chapter.Name(f.File)))
		}
		before = f.File
	}
	return links
}

// task returns the text between the statement and the hints: all that is given,
// and how to begin.
func (p *page) task(e *exercise.Exercise) node.List {
	switch e.Kind {
	case exercise.Predict:
		return node.List{givenRun(e), node.New("div", node.Class("judged"), "Judged by the recording of a run"), try(e)}
	case exercise.Debug:
		return node.List{givenRun(e), p.judged(e), try(e)}
	case exercise.Extend:
		return node.List{p.judged(e), try(e)}
	case exercise.Design:
		return nil
	}
	return node.List{node.New("div", node.Class("signature"), p.signaturesOf(p.chapter.Chapter.Chapter, e.Functions)), p.judged(e), try(e)}
}

// judged says which tests judge.
func (p *page) judged(e *exercise.Exercise) *html.Node {
	judged := node.New("div", node.Class("judged"), "Judged by ")
	if e.Apart() {
		node.Add(judged, "tests of its own, in "+e.Path(""))
		return judged
	}
	var links []*html.Node
	for _, test := range e.Tests {
		links = append(links, p.testLink(test, test.Name))
	}
	node.Add(judged, sentence(links))
	return judged
}

// sentence returns nodes as they stand in a sentence: "a, b and c".
func sentence(nodes []*html.Node) node.List {
	var all node.List
	for i, n := range nodes {
		switch i {
		case 0:
		case len(nodes) - 1:
			all = append(all, node.Text(" and "))
		default:
			all = append(all, node.Text(", "))
		}
		all = append(all, n)
	}
	return all
}

func (p *page) testLink(test *source.Decl, name string) *html.Node {
	return node.New("a", node.Href(p.chapter.ListingHref(test.File, test.Line)), node.New("code", name))
}

// givenRun returns what is given of a run.
func givenRun(e *exercise.Exercise) *html.Node {
	if e.Kind == exercise.Predict {
		return runNode("Given", e.Run.Lines[:e.Run.Given])
	}
	return runNode("What it does", strings.Split(strings.TrimRight(string(e.Run.Text), "\n"), "\n"))
}

func try(e *exercise.Exercise) *html.Node {
	const command = "go run ./cmd/lab exercise "
	return node.New("div", node.Class("try"), node.New("pre", node.Attr("tabindex", "0"),
		node.New("kbd", command+"start "+e.Number), "\n", node.New("kbd", command+"test "+e.Number)))
}

// runNode returns lines of a recording.
func runNode(caption string, lines []string) *html.Node {
	printed := node.New("samp")
	for _, line := range lines {
		node.Add(printed, printedLine(line))
	}
	return node.New("figure", node.Class("output"), node.New("figcaption", caption), node.New("pre", node.Attr("tabindex", "0"), printed))
}

// inPlace returns the link to where its chapter has the answer, if it does.
func (p *page) inPlace(e *exercise.Exercise) *html.Node {
	pieces := p.chapter.Answers[e.Number]
	if len(pieces) == 0 {
		return nil
	}
	return node.New("p", node.Class("to-answer"), node.New("a", node.Href(snippet.AddressOn(pieces[0], "answer-"+e.Number)), "The answer, in its place"))
}
