package voice_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/voice"
)

// TestTheRealAnchorsHoldWhatIsSaidOfThem counts again if this machine has the
// version that was counted.
func TestTheRealAnchorsHoldWhatIsSaidOfThem(t *testing.T) {
	for _, anchor := range voice.Anchors() {
		t.Run(anchor.Import, func(t *testing.T) {
			where := "{{with .Module}}{{.Version}}{{end}}\n{{.Dir}}"
			output, err := exec.Command("go", "list", "-find", "-f", where, anchor.Import).Output()
			require.NoError(t, err)
			lines := strings.Split(string(output), "\n")
			version, dir := lines[0], lines[1]
			if version == "" {
				version = runtime.Version()
			}
			if version != anchor.Version {
				t.Skipf("%s is here, %s was counted", version, anchor.Version)
			}
			found, err := voice.InComments(os.DirFS(dir), ".")
			require.NoError(t, err)
			found.Found = nil
			assert.Equal(t, anchor.Comments, found)
		})
	}
}
