package slow_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/slow"
)

// recorder is a test that remembers why it was skipped.
type recorder struct{ name, skipped string }

func (*recorder) Helper()                       {}
func (r *recorder) Name() string                { return r.name }
func (r *recorder) Skipf(f string, args ...any) { r.skipped = fmt.Sprintf(f, args...) }

// without returns a test of a run that asks for no test by name, nor for slow ones.
func without(t *testing.T, name string) *recorder {
	t.Helper()
	was := flag.Lookup("test.run").Value.String()
	require.NoError(t, flag.Set("test.run", ""))
	t.Cleanup(func() { require.NoError(t, flag.Set("test.run", was)) })
	t.Setenv(slow.Variable, "")
	return &recorder{name: name}
}

func TestASlowTestThatIsLeftOutSaysWhichCommandRunsIt(t *testing.T) {
	r := without(t, "TestOfPatience")
	slow.Test(r, "it waits for paint to dry")
	assert.Equal(t, "left out: it waits for paint to dry. To run it: go test ./internal/slow -run '^TestOfPatience$'", r.skipped)
	r = without(t, "TestOfPatience/Ada's_(first)")
	slow.Test(r, "it waits for paint to dry")
	assert.Contains(t, r.skipped, `-run '^TestOfPatience$/^Ada.s_\(first\)$'`)
}

func TestATestThatNoChangeWaitsForNamesThePartOfDeepThatRunsIt(t *testing.T) {
	r := without(t, "TestOfPatience")
	slow.Deep(r, "race", "it waits for paint to dry")
	assert.Equal(t, "left out: it waits for paint to dry. `.ci/deep race` runs it, and go test ./internal/slow -run '^TestOfPatience$'", r.skipped)
	for name, short := range map[string]string{"with -short": "true", "without": "false"} {
		t.Run(name, func(t *testing.T) {
			r := without(t, name)
			t.Setenv(slow.Variable, "1")
			was := flag.Lookup("test.short").Value.String()
			require.NoError(t, flag.Set("test.short", short))
			t.Cleanup(func() { require.NoError(t, flag.Set("test.short", was)) })
			slow.Deep(r, "race", "it waits for paint to dry")
			assert.Equal(t, short == "true", r.skipped != "")
		})
	}
}

func TestNoIsNoThoughATestIsAskedForByItsName(t *testing.T) {
	r := without(t, "TestOfPatience")
	require.NoError(t, flag.Set("test.run", "Patience"))
	t.Setenv(slow.Variable, "no")
	slow.Test(r, "it waits for paint to dry")
	assert.NotEmpty(t, r.skipped)
}

func TestASlowTestRunsWhereItIsAskedFor(t *testing.T) {
	for name, ask := range map[string]func(r *recorder){
		"by the variable": func(*recorder) { t.Setenv(slow.Variable, "1") },
		"by its name":     func(*recorder) { require.NoError(t, flag.Set("test.run", "Patience")) },
		"as a glance":     func(r *recorder) { slow.Glance(r) },
	} {
		t.Run(name, func(t *testing.T) {
			r := without(t, name)
			ask(r)
			slow.Test(r, "it waits for paint to dry")
			assert.Empty(t, r.skipped)
		})
	}
}
