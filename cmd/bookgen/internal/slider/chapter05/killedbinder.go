// Package chapter05 has the sliders of chapter 5.
package chapter05

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"reconcile/cmd/bookgen/internal/slider"
	"reconcile/internal/whatif/killedbinder"
)

// Sliders are those of the chapter.
var Sliders = []slider.Slider{killedBinder}

// killedBinder kills a binder after one of its writes, and starts the next.
var killedBinder = slider.Slider{
	Name: "killed-binder",
	Inputs: []slider.Input{
		{
			Name: "after", Label: "the binder is killed after write", Kind: "range",
			Max: killedbinder.Writes, Default: strconv.Itoa(killedbinder.Recorded.After),
		},
		{
			Name: "meanwhile", Label: "before the next one begins", Kind: "choice",
			Options: killedbinder.Meanwhiles, Default: killedbinder.Recorded.Meanwhile,
		},
	},
	Draw: func(_ *testing.T, values map[string]string) (string, error) {
		after, err := strconv.Atoi(values["after"])
		if err != nil {
			return "", err
		}
		run, err := killedbinder.Kill(killedbinder.Asked{After: after, Meanwhile: values["meanwhile"]})
		if err != nil {
			return "", err
		}
		return slider.Figure("binding", "killed-binder", run, says(run))
	},
}

// says says what stood in the store at each moment.
func says(run *killedbinder.Run) string {
	var all []string
	for _, m := range run.Moments {
		things := []string{"volume " + described(m.Volume)}
		for _, c := range m.Claims {
			things = append(things, "claim "+described(c))
		}
		all = append(all, m.When+": "+strings.Join(things, "; ")+".")
	}
	return strings.Join(all, " ")
}

func described(is killedbinder.Thing) string {
	if is.To == "" {
		return fmt.Sprintf("%s is %s", is.Name, is.Phase)
	}
	return fmt.Sprintf("%s is %s and names %s", is.Name, is.Phase, is.To)
}
