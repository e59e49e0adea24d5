// Package chapter06 has the sliders of chapter 6.
package chapter06

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"testing"

	"reconcile/cmd/bookgen/internal/slider"
	"reconcile/internal/whatif/decision"
)

// Sliders are those of the chapter.
var Sliders = []slider.Slider{where}

const untainted = "no node"

// where asks the scheduler where a Pod goes.
var where = slider.Slider{
	Name: "decision",
	Inputs: []slider.Input{
		{Name: "cpu", Label: "thousandths of a CPU that shop-2 requests", Kind: "range", Min: 250, Max: 4250, Step: 250, Default: "1500"},
		{Name: "tainted", Label: "taint gpu on", Kind: "choice", Default: "node-1",
			Options: []string{untainted, "node-1", "node-2", "node-3", "node-4", "node-5"}},
		{Name: "weight", Label: "weight of NodeAffinity", Kind: "range", Min: 1, Max: 5, Default: "2"},
	},
	Draw: func(_ *testing.T, values map[string]string) (string, error) {
		asked, err := read(values)
		if err != nil {
			return "", err
		}
		d, err := decision.Ask(asked)
		if err != nil {
			return "", err
		}
		drawn, err := slider.Figure("decision", "decision", d, says(d))
		if err != nil || d.Message == "" {
			return drawn, err
		}
		return drawn + "<p>" + html.EscapeString(d.Message) + "</p>", nil
	},
}

func read(values map[string]string) (a decision.Asked, err error) {
	weight, err := strconv.ParseInt(values["weight"], 10, 64)
	a = decision.Asked{CPU: values["cpu"] + "m", Tainted: values["tainted"], Weight: weight}
	if a.Tainted == untainted {
		a.Tainted = ""
	}
	return a, err
}

// says says what a decision was, node by node.
func says(d *decision.Decision) string {
	var all []string
	for _, n := range d.Nodes {
		switch {
		case n.Refused != nil:
			all = append(all, fmt.Sprintf("%s is refused by %s: %s.", n.Name, n.Refused.Filter, n.Refused.Why))
		case len(n.Scores) > 0:
			all = append(all, fmt.Sprintf("%s has %d points.", n.Name, n.Sum))
		}
	}
	if d.Chosen == "" {
		return strings.Join(append(all, "No node takes the Pod."), " ")
	}
	return strings.Join(append(all, d.Chosen+" is chosen."), " ")
}
