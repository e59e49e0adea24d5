package sample

import (
	_ "embed"
	"fmt"
	"strings"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
)

//go:embed show.go.html
var showCode string

// course is one of two sessions, with everything that there can be on a slide.
func course() *site.Course {
	note := func(at, minutes int, n *site.Note) site.Item {
		n.Chapter, n.Minutes, n.Href, n.ID = 1, minutes, slug+"/index.html#"+n.ID, "1-"+n.ID
		return site.Item{At: at, Minutes: minutes, Title: n.Title, Note: n}
	}
	return &site.Course{
		Slug: "hour", Title: "An hour", Summary: "One loop, one queue, and what they cost.",
		Body: node.Parse("<p>Bring a beamer.</p>"), Start: 9 * 60, Target: 75, People: 20,
		Sessions: []site.Session{
			{ID: "the-loop", Title: "The loop", Checkpoint: "hour:1", Items: []site.Item{
				note(9*60, 12, &site.Note{
					ID: "the-naive-loop", Title: "The naive loop, and what it costs",
					Say: node.Parse("<ul><li>The wish is a number.</li><li>The loop compares, and takes <em>one</em> step.</li></ul>"),
					Asks: []site.Ask{{
						Question: node.Parse("<p>Who has restarted the Pod?</p>"),
						Answer:   node.Parse("<p>Nobody: there is a new one. <em>People say</em> the kubelet, because it restarts containers.</p>"),
					}},
					Shows: []site.Show{
						{Title: "two lives", Kind: "transcript", Body: transcript(8), Lines: 64, Columns: 60},
						{Title: "Queue.Add", Kind: "code", Body: node.Parse(showCode), Lines: 18, Columns: 70},
					},
					Watch: node.Parse("<p>They take the loop for a timer.</p>"),
				}),
				{At: 9*60 + 12, Minutes: 20, Title: "1b Compare and act", Task: &site.Task{
					Number: "1b", Title: "Compare and act", Kind: "write", Minutes: 20,
					Href: slug + "/index.html#exercise-1b", Statement: node.Parse("<p>Write <code>plan</code>.</p>"), Tests: []string{"TestPlanCreatesWhatIsMissing"},
				}},
				{At: 9*60 + 32, Minutes: 10, Title: "Coffee", Break: true},
			}},
			{ID: "the-queue", Title: "The queue", Checkpoint: "hour:2", Items: []site.Item{
				note(9*60+42, 15, &site.Note{
					ID: "a-queue-of-keys", Title: "A queue of keys, not of events",
					Say: node.Parse("<ul><li>A key, and no event.</li></ul>"),
					Shows: []site.Show{
						{Title: "One event", Kind: "figure", Body: node.Parse(`<figure class="drawing" id="event">` + path() + `<figcaption>One event, from the write to the queue.</figcaption></figure>`)},
						{Title: "What each answer means", Kind: "table", Body: node.Parse(answers), Lines: 4, Columns: 60},
					},
				}),
				{At: 9*60 + 57, Minutes: 18, Title: "Questions in pairs", Body: node.Parse("<p>From <cite>What you can now explain</cite>. Whoever is through types:</p>" +
					`<figure class="code illustration"><figcaption>what you type</figcaption><pre tabindex=0><code>lab up
lab kubectl get pods <span class=nb>--all</span>-namespaces &amp;</code></pre></figure>`),
					Asks: []site.Ask{{Question: node.Parse("<p>Which of them has the queue?</p>"), Answer: node.Parse("<p>None.</p>")}}},
			}},
		},
	}
}

// transcript is of so many commands, each with an output of seven lines.
func transcript(commands int) node.List {
	var b strings.Builder
	b.WriteString(`<figure class="output scene" id="testdata/naive.scene:lives"><figcaption>played from <a href="` + slug + `/naive_test.go.html#L3">naive.scene</a></figcaption><pre><samp>`)
	for n := range commands {
		if n == 1 {
			b.WriteString("<span class=meanwhile>19 seconds later\n</span>")
		}
		fmt.Fprintf(&b, "<span class=typed>$ <kbd>kubectl get pods --selector run=%d</kbd>\n</span>", n+1)
		b.WriteString("NAME        READY   STATUS    RESTARTS   AGE\n")
		for range 6 {
			b.WriteString("<span class=l style=--c:39>web-x7k2p   1/1     Running   0          19s\n</span>")
		}
	}
	b.WriteString("</samp></pre></figure>")
	return node.Parse(b.String())
}

const answers = `<div class="table" tabindex="0" role="region" aria-label="What each answer means"><table><thead><tr><th>Answer</th><th>What it means</th><th>What the loop does</th></tr></thead><tbody>
<tr><td><code>409 Conflict</code></td><td>somebody was faster</td><td>reads again, decides again; never repeats the write</td></tr>
<tr><td><code>410 Gone</code></td><td>the version asked for is too old to be remembered</td><td>lists everything and starts watching from there</td></tr>
<tr><td><code>422 Invalid</code></td><td>the object makes no sense</td><td>records it and waits for a change</td></tr></tbody></table></div>`
