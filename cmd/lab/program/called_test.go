package program_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"

	"reconcile/cmd/lab/program"
)

func TestALabIsNamedAsItIsCalled(t *testing.T) {
	const text = "start one with `go run ./cmd/lab up`; go run ./cmd/lab exercise list --all"
	t.Setenv("RECONCILE_CALLED", "")
	assert.Equal(t, text, program.AsCalled(text))
	t.Setenv("RECONCILE_CALLED", "./start.sh")
	assert.Equal(t, "start one with `./start.sh up`; ./start.sh list --all", program.AsCalled(text))
}

func TestErrorsAndExamplesNameItSo(t *testing.T) {
	t.Setenv("RECONCILE_CALLED", "start.cmd")
	root := &cobra.Command{Use: "lab"}
	root.AddCommand(&cobra.Command{
		Use: "add", Example: "  go run ./cmd/lab add",
		RunE: func(*cobra.Command, []string) error { return errors.New("none: go run ./cmd/lab up") },
	})
	var out strings.Builder
	assert.Equal(t, 1, program.Run(t.Context(), root, []string{"add"}, &out, &out))
	assert.Equal(t, "lab: none: start.cmd up\n", out.String())
	out.Reset()
	assert.Equal(t, 0, program.Run(t.Context(), root, []string{"add", "--help"}, &out, &out))
	assert.Contains(t, out.String(), "\n  start.cmd add\n")
}
