package trial_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise/trial"
)

// broken is a module with code that doesn't build, which is never an obstacle.
var broken = fstest.MapFS{
	"go.mod":       {Data: []byte("module book\n\ngo 1.26\n\nrequire example.org/lib v1.0.0\n\nreplace example.org/lib => ./lib\n")},
	"plan.go":      {Data: []byte("package plan\n\nfunc (")},
	"plan_test.go": {Data: []byte("package plan\n\nimport \"example.org/lib\"\n")},
	"lib/go.mod":   {Data: []byte("module example.org/lib\n")},
	"lib/lib.go":   {Data: []byte("package lib\n")},
	"saved":        {Data: []byte("GOEXPERIMENT=other\n")},
}

func TestAnObstacleIsNamedWithItsRemedy(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[string]string
		says string
	}{
		"the code alone":          {nil, ""},
		"a setting":               {map[string]string{"GOEXPERIMENT": "nonsense"}, `unset GOEXPERIMENT (it is "nonsense")`},
		"a go.work of elsewhere":  {map[string]string{"GOWORK": "/nowhere/go.work"}, `unset GOWORK (it is "/nowhere/go.work")`},
		"a system of its own":     {map[string]string{"GOOS": "js"}, `unset GOOS (it is "js")`},
		"no folder of vendors":    {map[string]string{"GOFLAGS": "-mod=vendor"}, `unset GOFLAGS (it is "-mod=vendor")`},
		"modules turned off":      {map[string]string{"GO111MODULE": "off"}, `unset GO111MODULE (it is "off")`},
		"two of them":             {map[string]string{"GOEXPERIMENT": "nonsense", "GOFLAGS": "-x=y"}, `unset GOEXPERIMENT (it is "nonsense"), and unset GOFLAGS (it is "-x=y")`},
		"a setting that is saved": {map[string]string{"GOENV": "saved"}, "run `go env -u GOEXPERIMENT` (it is \"other\")"},
		"no home":                 {map[string]string{"HOME": "", "GOPATH": "", "GOMODCACHE": "", "GOCACHE": "", "XDG_CACHE_HOME": ""}, "$HOME is not defined"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "no home" && runtime.GOOS == "windows" {
				t.Skip("it has other variables")
			}
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, broken))
			for variable, value := range c.set {
				if variable == "GOENV" {
					value = filepath.Join(dir, value)
				}
				t.Setenv(variable, value)
			}
			err := trial.Obstacle(t.Context(), dir, t.TempDir(), "go: it said so", runtime.GOOS+"/")
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "this counts as no attempt")
			assert.ErrorContains(t, err, c.says)
		})
	}
}

func TestASystemOfItsOwnIsNoticedAtOnce(t *testing.T) {
	t.Setenv("GOOS", "")
	t.Setenv("GOARCH", runtime.GOARCH)
	require.NoError(t, trial.Foreign())
	t.Setenv("GOARCH", "wasm")
	assert.ErrorContains(t, trial.Foreign(), `unset GOARCH (it is "wasm")`)
}
