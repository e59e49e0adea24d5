package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// It is stopped at the end of the first part.
func TestRunOfTheControllerOfOneFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		play(&out)
		const stopped = "the controller is stopped\n"
		before, after, found := strings.Cut(out.String(), stopped)
		require.True(t, found)
		parts := "# part: heals\n" + before + stopped + "# part: again\n" + after
		kubetest.Recorded(t, "copies.txt", []byte(parts))
	})
}
