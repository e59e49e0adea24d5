package mysqlcluster_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is on the page "On a real cluster" was recorded by judges, which
// builds Kubernetes: takeover.txt is takeover.json in words.
func TestTheProofOfTheTakeOverHeld(t *testing.T) {
	var proof struct {
		Claims []struct {
			Name, Seen string
			Held       bool
		}
		Stories      []struct{ Name, Lab, Theirs string }
		Pods         int
		Ours, Theirs struct{ Writes struct{ What map[string]int } }
	}
	recorded(t, "testdata/takeover.json", &proof)
	require.NotEmpty(t, proof.Claims)
	for _, claim := range proof.Claims {
		assert.True(t, claim.Held, "%s: %s", claim.Name, claim.Seen)
	}
	require.NotEmpty(t, proof.Stories)
	for _, story := range proof.Stories {
		assert.Equal(t, "same", story.Lab, "%s, beside the lab", story.Name)
		assert.Equal(t, "same", story.Theirs, "%s, beside kube-controller-manager", story.Name)
	}
	require.Positive(t, proof.Pods)
	for who, wrote := range map[string]map[string]int{
		"ours": proof.Ours.Writes.What, "theirs": proof.Theirs.Writes.What,
	} {
		assert.Equal(t, 2*proof.Pods, wrote["create pods"], "each Pod is made and replaced once by %s", who)
	}
	assert.FileExists(t, "testdata/takeover.txt")
}

// A command that the page prints was run by the proof, which recorded it, or it is
// said that it wasn't.
func TestCommandsOfThePageWereRunOrAreMarked(t *testing.T) {
	page, err := os.ReadFile("../on-a-real-cluster.md")
	require.NoError(t, err)
	commands := regexp.MustCompile("(?m)^```sh (.*)\n(.*)$").FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, commands)
	for _, command := range commands {
		assert.Regexp(t, `it (isn't recorded here|recorded what)`, command[1], command[2])
	}
}

// conformance.txt is conformance.json in words: what Kubernetes' own tests of the
// book's kinds say of lab up.
func TestKubernetesOwnTestsPassed(t *testing.T) {
	var conformance struct {
		Specs []struct{ Group, Name, State, Why string }
	}
	recorded(t, "testdata/conformance.json", &conformance)
	assert.Len(t, conformance.Specs, 36)
	for _, spec := range conformance.Specs {
		assert.Equal(t, "passed", spec.State, "%s: %s", spec.Name, spec.Why)
	}
	assert.FileExists(t, "testdata/conformance.txt")
}

// page.json is what a transcript that goes on costs, measured in Chromium:
// TestLiveCostsWhatThePageSays of bookgen's tests in a browser.
func TestAPageThatRunsWasMeasured(t *testing.T) {
	var page map[string]float64
	recorded(t, "testdata/page.json", &page)
	assert.Less(t, page["brotli"], page["gzip"])
	assert.Less(t, page["gzip"], page["raw"])
	assert.Less(t, page["second"], page["first"], "what is fetched and compiled is so once")
	assert.Positive(t, page["second"])
	assert.Positive(t, page["memory"])
}

func recorded(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}

// clients.txt is printed by other people's programs, and its command, which builds them,
// compares it. The functions that it shows are those that ran, and the page says what
// came of them.
func TestWhatClientsPrinted(t *testing.T) {
	recorded, err := os.ReadFile("testdata/clients.txt")
	require.NoError(t, err, "go -C judges run . clients --update")
	function := func(program, head string) string {
		source, err := os.ReadFile("../../judges/clients/" + program + "/main.go")
		require.NoError(t, err)
		_, rest, _ := strings.Cut(string(source), head)
		body, _, _ := strings.Cut(rest, "\n}\n")
		return strings.ReplaceAll(head+body+"\n}\n", "\t", "    ")
	}
	for _, said := range []string{
		function("site", "\nfunc (s site) Reconcile"),
		function("informer", "\nfunc label"),
		"\nupdate: Operation cannot be fulfilled on pods \"from-go\": the object has been modified",
		"\nupdate: <nil>\nSucceeded\ndeleted\n",
		" seen | uniq\nREADY\n3/3\n3/4\n4/4\n",
		"\nnginx version: nginx/1.28.0\n",
		"\nPhase:          Succeeded\n",
		"marks\n6\n3\n",
		"\n$ kubectl wait pods -l site=shop --for=delete\n$ kubectl get pods\nNo resources found",
		"\nDELETED from-javascript Running\n",
		"\nerror: Metrics API not available\n",
	} {
		assert.Contains(t, string(recorded), said)
	}
}
