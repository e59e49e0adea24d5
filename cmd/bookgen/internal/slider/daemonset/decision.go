// Package daemonset has the slider of chapter 6: where a Pod goes.
package daemonset

import (
	"encoding/json"
	"fmt"
	"html"
	"strconv"
	"strings"
	"testing"

	"reconcile/cmd/bookgen/internal/figure"
	"reconcile/cmd/bookgen/internal/slider"
	"reconcile/internal/whatif/decision"
)

const untainted = "no node"

var (
	cpu = slider.Input{
		Name: "cpu", Label: "CPU that shop-2 requests, in thousandths", Kind: slider.Range,
		Min: 250, Max: 4250, Step: 250, Default: strings.TrimSuffix(decision.Recorded.CPU, "m"),
	}
	tainted = slider.Input{
		Name: "tainted", Label: "the taint gpu is on", Kind: slider.Choice, Default: decision.Recorded.Tainted,
		Options: []string{untainted, "node-1", "node-2", "node-3", "node-4", "node-5"},
	}
	weight = slider.Input{
		Name: "weight", Label: "weight of NodeAffinity", Kind: slider.Range,
		Min: 1, Max: 5, Step: 1, Default: strconv.FormatInt(decision.Recorded.Weight, 10),
	}
)

// Decision asks the scheduler where a Pod goes.
var Decision = slider.Slider{
	Name: "decision", Inputs: []slider.Input{cpu, tainted, weight}, Draw: drawDecision,
}

func drawDecision(_ *testing.T, values map[string]string) (string, error) {
	asked, err := read(values)
	if err != nil {
		return "", err
	}
	d, err := decision.Ask(asked)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(d)
	if err != nil {
		return "", err
	}
	drawn, err := figure.Render("decision", data, "slider-decision", says(d))
	if err != nil || d.Message == "" {
		return string(drawn), err
	}
	return string(drawn) + "<p>" + html.EscapeString(d.Message) + "</p>", nil
}

func read(values map[string]string) (a decision.Asked, err error) {
	milli, err := cpu.Number(values)
	if err != nil {
		return a, err
	}
	node, err := tainted.Word(values)
	if err != nil {
		return a, err
	}
	counts, err := weight.Number(values)
	if node == untainted {
		node = ""
	}
	return decision.Asked{CPU: fmt.Sprintf("%dm", milli), Tainted: node, Weight: int64(counts)}, err
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
