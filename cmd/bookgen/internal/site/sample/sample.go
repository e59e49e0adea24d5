// Package sample is a small book with everything in it that the generator can
// emit, for tests of the site: one chapter that is written, two that are not.
package sample

import (
	_ "embed"
	"html/template"
	"strings"
	"time"

	"reconcile/cmd/bookgen/internal/figure"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
)

var (
	//go:embed home.html
	home string
	//go:embed chapter.html
	chapter string
	//go:embed queue.go.html
	queue string
	//go:embed test.go.html
	test string
	//go:embed exercise.html
	exercise string
	//go:embed path.svg
	pathSVG []byte
)

const (
	slug    = "01-control-loop"
	summary = "A program that compares what is with what should be, takes one step, and looks again."
)

// Book returns the sample, a new one each time.
func Book() *site.Book {
	licence := licence()
	return &site.Book{
		Title:    "Reconcile",
		Subtitle: "building Kubernetes’ controllers, from a loop to a MySQL cluster",
		Description: "Write the controllers of Kubernetes yourself, in Go: from a loop that counts Pods to a MySQL cluster " +
			"that survives the loss of its nodes. One program, seven chapters, and every line of it a click away.",
		Imprint: site.Imprint{Author: "the authors of Reconcile", Rights: "Text: CC BY 4.0. Code: Apache 2.0.", UUID: "8d33042b-8328-484b-97c9-5a1229bd0ba2"},
		Edition: "Edition 4, 30 November 2026",
		Editions: []site.Edition{
			{Name: "Edition 4, 30 November 2026", Day: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), Changes: "<p>Loops &amp; queues.</p>"},
			{Name: "Editions 1 to 3", Day: time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)},
		},
		URL:  "https://reconcile.example/",
		Home: node.Parse(home),
		Loop: []site.Act{
			{After: "+0s", By: "kubectl delete", Does: "Pod web-1: Terminating", Ready: 2},
			{After: "+0s", By: "replicaset", Does: "creates Pod web-4: Pending", Ready: 2, Line: "Add, queue.go:21", Href: slug + "/queue.go.html#L21"},
			{After: "+1s", By: "kubelet node-1", Does: "writes the status of Pod web-4: Running", Ready: 3, Line: "Add, queue.go:22", Href: slug + "/queue.go.html#L22"},
		},
		Chapters: []*site.Chapter{
			written(),
			{Number: 2, Slug: "02-deployment", Title: "Deployment", Summary: "One wish above another: ReplicaSets, owners, and what becomes of orphans."},
			{Number: 3, Slug: "03-rolling-update", Title: "Rolling update", Summary: "Replacing all of it while none of it may be missing."},
		},
		Symbols: symbols(),
		Terms: []site.Term{
			{Name: "work queue", Meaning: node.Parse("A list of keys, of which each is handed out <em>once</em>."), Text: "A list of keys, of which each is handed out once.",
				Others: "工作队列, workqueue, 队列", Place: site.Use{Href: slug + "/index.html#queue.go:Queue", Label: "1 · The loop"}, Code: site.Use{Href: slug + "/queue.go.html#L3", Label: "Queue"}},
			{Name: "Level", Meaning: node.Parse("What is, and not what has changed."), Text: "What is, and not what has changed.",
				Others: "水平", Place: site.Use{Href: slug + "/index.html#deciding", Label: "1 · The loop"}},
		},
		Courses: []*site.Course{course()},
		Beside: []*site.Beside{{
			File: "how-to-read.html", Title: "How to read this book", Summary: "What you need, how long it takes, and where to begin.",
			Body: node.Parse("<p>You need Go.</p>\n<h2 id=\"three-ways\">Three ways</h2>\n<p>One of them is <a href=\"short.html\">short</a>.</p>"),
			Text: []site.SearchEntry{
				{Kind: "part", Title: "How to read this book", Href: "how-to-read.html", Text: "You need Go."},
				{Kind: "section", Title: "Three ways", Href: "how-to-read.html#three-ways", Text: "One of them is short."},
			},
		}, licence},
		Licence: licence,
		Texts:   map[string][]byte{"assets/LICENSE.txt": []byte("Do what is right.\n")},
	}
}

func licence() *site.Beside {
	return &site.Beside{
		File: "licence.html", Title: "Licence", Summary: "What you may do with all this.",
		Body: node.Parse("<p>Use it, change it, teach with it; the whole of what you may and may not do stands in <a href=\"assets/LICENSE.txt\">LICENSE</a>.</p>"),
		Text: []site.SearchEntry{{Kind: "part", Title: "Licence", Href: "licence.html", Text: "All of that."}},
	}
}

func written() *site.Chapter {
	return &site.Chapter{
		Number: 1, Slug: slug, Title: "The control loop", Written: true, Summary: summary,
		Parts: []*site.Part{first(), second(), compared()},
		Listings: []site.Listing{
			{File: "queue.go", Code: code(queue), Places: []site.Place{
				{First: 8, Last: 9, Page: "1.1", Use: site.Use{Href: slug + "/index.html#queue.go:wait", Label: "1.1 · The loop"}}}},
			{File: "naive_test.go", Code: code(test), Test: true},
			{File: "sql/parse.go", Code: code("<b>package</b> sql\n\n<b>type</b> Statement <b>struct</b>{}\n\n<b>func</b> Parse() {}"), Leant: true},
			{File: "exercises/1b.md", Title: "Exercise 1b · Compare and act", Body: node.Parse(exercise)},
		},
		Text: []site.SearchEntry{
			{Kind: "field", Title: "PodSpec.terminationGracePeriodSeconds", Href: slug + "/queue.go.html#L8", Text: "plan · queue.go"},
			{Kind: "test", Title: "TestPlanCreatesWhatIsMissing", Href: slug + "/naive_test.go.html#L3"},
		},
	}
}

// code returns the lines of a listing.
func code(markup string) []template.HTML { return node.Parse(strings.TrimSpace(markup)).Lines() }

func first() *site.Part {
	return &site.Part{
		Slug: slug, Page: "1.1", Title: "The loop", Words: 8214, Lines: 900, Summary: summary, Initial: true,
		Body: node.Parse(strings.Replace(chapter, "PATH", path(), 1)),
		Sections: []site.Section{
			{ID: "the-naive-loop", Title: "The naive loop, and what it costs", Level: 2},
			{ID: "a-queue-of-keys", Title: "A queue of keys, not of events", Level: 2, Short: true, Words: 1000, Lines: 24},
			{ID: "waiting", Title: "Waiting without spinning", Level: 3, Short: true, Words: 400},
			{ID: "deciding", Title: "Deciding", Level: 2, Words: 5000},
			{ID: "ours-and-kubernetes", Title: "Ours and Kubernetes’", Level: 2, Short: true, Words: 200},
			{ID: "what-you-can-now-explain", Title: "What you can now explain", Level: 2},
		},
		Exercises: []site.ExerciseLink{{Number: "1b", Title: "Compare and act", Minutes: 20, Page: slug + "/index.html", Anchor: "exercise-1b"}},
		Text:      text(),
	}
}

func second() *site.Part {
	return &site.Part{
		Slug: slug + "/the-kubelet", Page: "1.2", Title: "The kubelet", Words: 1200, Lines: 20,
		Summary:  "Somebody has to do the work.",
		Body:     node.Parse("<p>A Pod is a wish, too. The <a href=\"01-control-loop/index.html#a-queue-of-keys\">queue</a> hands out its name.</p>\n<h2 id=\"on-a-node\">On a node</h2>\n<p>A loop for each.</p>"),
		Opening:  site.Section{Short: true, Words: 800},
		Sections: []site.Section{{ID: "on-a-node", Title: "On a node", Level: 2}},
	}
}

func compared() *site.Part {
	return &site.Part{
		Slug: slug + "/in-kubernetes", Compared: true, Page: "1", Title: "Loops in Kubernetes", Words: 100, Lines: 80,
		Summary: "What is the same, simpler and left out.",
		Body:    node.Parse("<p>The three sets are the same.</p>"),
	}
}

// path returns a recorded run as a figure.
func path() string {
	run := `{"steps": [
		{"at": 0, "lane": "store", "action": "writes", "object": "Pod default/web-x7k2p", "version": 7},
		{"at": 0, "lane": "reflector", "action": "gets the event", "object": "Pod default/web-x7k2p"},
		{"at": 0, "lane": "queue", "action": "adds the key", "object": "default/web", "note": "once"},
		{"at": 1000000, "lane": "worker", "action": "looks"}]}`
	svg, err := figure.Fill("path.svg", pathSVG, []byte(run), "event", "A write in the store, its event, a key in the queue, and a worker that looks.")
	if err != nil {
		panic(err) // the run is right there
	}
	return svg
}

func text() []site.SearchEntry {
	page := slug + "/index.html#"
	return []site.SearchEntry{
		{Kind: "part", Title: "The loop", Href: slug + "/index.html", Text: summary},
		{Kind: "section", Title: "The naive loop, and what it costs", Href: page + "the-naive-loop",
			Text: "Take one object and look at it once a second. With a thousand objects that is a thousand looks a second, and almost every look finds nothing."},
		{Kind: "section", Title: "A queue of keys, not of events", Href: page + "a-queue-of-keys",
			Text: "The work queue hands out each key once."},
		{Kind: "section", Title: "Waiting without spinning", Href: page + "waiting",
			Text: "A worker with nothing to do sleeps on the condition. 控制器比较期望状态与实际状态，然后走一步。"},
		{Kind: "kubectl", Title: "kubectl events", Href: page + "testdata/life.scene:why", Text: "Warning Failed pull image"},
		{Kind: "exercise", Title: "1b Compare and act", Href: page + "exercise-1b",
			Text: "Write plan. It gets the Pods there are and the number there should be."},
	}
}

func symbols() []*site.Symbol {
	page := slug + "/index.html#"
	return []*site.Symbol{
		{Name: "Queue.Add", Kind: "method", Chapter: slug, File: "queue.go", Line: 20, Signature: "func (q *Queue) Add(key Key)",
			Synopsis: "Add says that key wants to be looked at.", Href: page + "queue.go:Queue.Add"},
		{Name: "Queue", Kind: "type", Chapter: slug, File: "queue.go", Line: 11, Signature: "type Queue struct",
			Synopsis: "A Queue hands out keys.", Href: page + "queue.go:Queue",
			Uses: []site.Use{{Href: page + "queue.go:Queue.Add", Label: "Queue.Add"}, {Href: slug + "/naive_test.go.html#L3", Label: "naive_test.go:3"}}},
		{Name: "DeltaFIFO", Kind: "type", Chapter: slug, File: "queue.go", Line: 2, Signature: "type DeltaFIFO struct",
			Synopsis: "A DeltaFIFO keeps what happened to each key, in order.", Href: page + "waiting"},
		{Name: "plan", Kind: "func", Chapter: slug, File: "queue.go", Line: 8,
			Signature: "func plan(pods []*corev1.Pod, count int) (create int, remove []*corev1.Pod)",
			Synopsis:  "plan says what to create and what to delete.", Href: page + "plan.go:plan"},
	}
}
