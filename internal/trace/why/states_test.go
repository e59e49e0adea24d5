package why_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/openexercises"
	"reconcile/internal/scene"
	"reconcile/internal/script"
	"reconcile/internal/trace/why"
)

var update = flag.Bool("update", false, "write down what the states print")

func TestMain(m *testing.M) { os.Exit(openexercises.Run(m)) }

// TestWhyNamesWhatIsWaitedForAndItsRemedy plays the states of chapters/states.txt, in
// each of which something stands still: why has to end as the state's head says, what it
// names as the remedy is the next step, and then something else is waited for, or
// nothing.
func TestWhyNamesWhatIsWaitedForAndItsRemedy(t *testing.T) {
	file, err := filepath.Abs(filepath.Join("..", "..", "..", "chapters", "states.txt"))
	require.NoError(t, err)
	testdata, err := filepath.Abs("testdata")
	require.NoError(t, err)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	states := strings.Split(string(content), "=== ")
	all := states[0]
	names, cache := map[string]bool{}, t.TempDir() // kubectl's knowledge of the API
	for _, state := range states[1:] {
		head, text, _ := strings.Cut(state, "\n")
		name, reason, ok := strings.Cut(head, ": ")
		require.True(t, ok && !names[name], head)
		names[name] = true
		t.Run(name, func(t *testing.T) {
			was := text
			text = played(t, testdata, cache, name, text)
			holds(t, why.Reason(reason), text)
			assert.True(t, *update || was == text, "go test ./internal/trace/why -update writes down:\n%s", text)
		})
		all += "=== " + head + "\n" + text
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(all), 0o644))
	}
}

// played plays a state, and returns it with what is printed.
func played(t *testing.T, chapter, cache, name, text string) string {
	t.Helper()
	s, err := script.Parse(name, []byte(strings.TrimRight(text, "\n")+"\n"))
	require.NoError(t, err)
	played, err := scene.Play(t, s, chapter, cache)
	require.NoError(t, err)
	return string(played.Text) + "\n"
}

var (
	remedy      = regexp.MustCompile(`(?m)^Remedy: (?:lab loop )?(.*)\n\n(?:\$ )?(.*)`)
	placeholder = regexp.MustCompile(`\b[A-Z]{3,}\b`)
)

// holds holds a state that was played against the reason that it has to have.
func holds(t *testing.T, reason why.Reason, text string) {
	t.Helper()
	ends := map[why.Reason]string{
		why.Paused: "It waits because a loop is paused", why.BackOff: "It is tried again at ", why.Object: "It waits for an object",
		why.Time: "It waits until ", why.Unready: "It waits for what isn't ready", why.Stopped: "Somebody wants it so",
		why.Refused: "It is refused", why.Nobody: "Nobody will act",
	}[reason]
	require.NotEmpty(t, ends, "%s: no such reason", reason)
	asked := strings.Split(text, "why ")
	require.GreaterOrEqual(t, len(asked), 3, "asked before the remedy and after it")
	assert.Contains(t, asked[1], "\n"+ends, "what it ends with")
	assert.NotContains(t, asked[len(asked)-1], "\n"+ends, "the remedy has made no difference")
	says := remedy.FindStringSubmatch(asked[1])
	if says == nil {
		return
	}
	command := strings.NewReplacer("lab node start", "start", "lab node add", "add node").Replace(says[1])
	form := placeholder.ReplaceAllString(regexp.QuoteMeta(command), `.*`)
	assert.Regexp(t, "^"+form+"$", says[2], "the remedy that is named is the next step")
}
