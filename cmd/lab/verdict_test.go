package main

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/trial"
	"reconcile/internal/source"
)

func TestAFailureIsToldWithWhatWasAsked(t *testing.T) {
	decl := &source.Decl{Name: "TestPlan", File: &source.File{Name: "plan_test.go"}, Line: 10, EndLine: 20}
	asked := func(at string) string {
		return map[string]string{"plan_test.go:12": "assert.Equal(t, 1, plan(2, 1))"}[at]
	}
	for says, f := range map[string]trial.Failure{
		"plan_test.go:12  wanted 1, got 2: assert.Equal(t, 1, plan(2, 1))": {Says: "wanted 1, got 2", Bare: true},
		"plan_test.go:12  how many: wanted 1, got 2":                       {Says: "how many: wanted 1, got 2"},
		"plan_test.go:12  one too few: wanted 1, got 2":                    {Test: "TestPlan/one_too_few", Says: "wanted 1, got 2", Bare: true},
		"plan_test.go:12  one too few: Should be true: assert.Equal(t, 1, plan(2, 1))": {
			Test: "TestPlan/one_too_few", Says: "Should be true", Bare: true},
	} {
		f.Test = cmp.Or(f.Test, "TestPlan")
		f.Calls = []string{"plan_test.go:12", "cluster_test.go:37"}
		var out strings.Builder
		given := func(string, ...string) string { return map[bool]string{true: "2, 1"}[f.Case() != ""] }
		verdict{out: paper{raw: &out}, assertion: asked, input: given, said: map[string]bool{}, exercise: &exercise.Exercise{Tests: []*source.Decl{decl}}}.failures([]trial.Failure{f})
		want := "      " + says + "\n"
		if f.Case() != "" {
			want += "          given: 2, 1\n"
		}
		assert.Equal(t, want, out.String())
	}
}
