package kubelet_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The picture of the kubelet is drawn by hand; it names the functions that
// exist.
func TestTheKubeletsPictureNamesItsFunctions(t *testing.T) {
	data, err := os.ReadFile("../testdata/kubelet.json")
	require.NoError(t, err)
	var picture struct {
		Sources []struct{ Says, By string }
		Does    []struct{ Verb, Func string }
	}
	require.NoError(t, json.Unmarshal(data, &picture))
	declared := ""
	for _, file := range []string{"kubelet.go", "probe.go", "steps.go"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		declared += string(text)
	}
	_, wiring, found := strings.Cut(declared, "func New(")
	require.True(t, found)
	wiring, _, _ = strings.Cut(wiring, "\n}")
	require.Len(t, picture.Sources, strings.Count(wiring, "c.Queue.Add")+1, "and c.Watch")
	for _, source := range picture.Sources {
		assert.Contains(t, wiring, "."+source.By+"(", source.Says)
	}
	for _, does := range picture.Does {
		assert.Regexp(t, `func (\(k \*Kubelet\) )?`+does.Func+`\(`, declared, does.Verb)
	}
}
