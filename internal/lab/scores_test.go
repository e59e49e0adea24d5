package lab_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/lab"
)

func TestNodesAreComparedByTheScoresThatWereChosen(t *testing.T) {
	for scores, want := range map[string]int{"": 3, "default": 3, "packed": 1} {
		running(t, lab.Options{Nodes: 3, Choices: lab.Choices{Scores: scores}}, func(f fixture) {
			nodes := map[string]bool{}
			for n := range 6 {
				name := fmt.Sprint("web-", n)
				f.create(pod("default", name))
				nodes[f.at(name)] = true
			}
			assert.Len(f.t, nodes, want, "scores %q", scores)
		})
	}
	_, err := lab.New(lab.Options{Choices: lab.Choices{Scores: "astrology"}})
	assert.EqualError(t, err, `there are no scores "astrology"; there are default and packed`)
}
