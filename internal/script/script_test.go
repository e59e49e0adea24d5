package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/script"
)

const whole = `# Two terminals.
# nodes: 2

# part: create
# Somebody watches.
$ kubectl get pods -w &
| NAME    READY

$ kubectl create -f manifests/pod.yaml
pod/nginx created
| nginx   0/1
|
2| no job

# part: later
advance 1m30s

$ kubectl patch pod nginx \
    -p '{"spec": {}}' > out.yaml
Name: a

\# kept
\advance

\advence
\| bar
\\back
[exit 1]

# The end.
`

func parse(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Parse("x.scene", []byte(text))
	require.NoError(t, err)
	return s
}

func TestAScriptIsWrittenAsItIsRead(t *testing.T) {
	text := strings.Replace(whole, "2| no job\n", "", 1)
	assert.Equal(t, text, string(parse(t, text).Format()))
	looser := strings.ReplaceAll(text, "\n\n$", "\n\n\n$")
	assert.Equal(t, text, string(parse(t, looser+"\n\n").Format()))
}

func TestAStepKnowsItsPartAndWhatWasPrinted(t *testing.T) {
	s := parse(t, strings.Replace(whole, "2| no job\n", "", 1))
	require.Len(t, s.Steps, 4)
	assert.Equal(t, []string{"create", "later"}, s.Parts())
	assert.Equal(t, "2", s.Setting("nodes", "1"))
	assert.Equal(t, "1", s.Setting("seed", "1"))
	watch, create, advance, patch := s.Steps[0], s.Steps[1], s.Steps[2], s.Steps[3]
	assert.Same(t, watch, s.Job(1))
	assert.Equal(t, &script.Command{Args: []string{"get", "pods", "-w"}, Background: true, Job: 1}, watch.Command)
	assert.Equal(t, 6, watch.Line)
	assert.Equal(t, []script.Line{
		{Text: "pod/nginx created"}, {Job: 1, Text: "nginx   0/1"}, {Job: 1},
	}, create.Output)
	assert.Equal(t, &script.Verb{Name: "advance", Args: []string{"1m30s"}}, advance.Verb)
	assert.Equal(t, "1 minute 30 seconds later", advance.Verb.Caption())
	assert.Equal(t, []*script.Step{advance, patch}, s.InPart("later"))
	assert.Equal(t, &script.Command{Args: []string{"patch", "pod", "nginx", "-p", `{"spec": {}}`}, To: "out.yaml"}, patch.Command)
	assert.Equal(t, []script.Line{
		{Text: "Name: a"}, {}, {Text: "# kept"}, {Text: "advance"}, {}, {Text: "advence"},
		{Text: "| bar"}, {Text: `\back`}, {Text: "[exit 1]"},
	}, patch.Output)
	assert.Equal(t, []string{"kubectl patch pod nginx \\", `    -p '{"spec": {}}' > out.yaml`}, patch.Text())
}

func TestInputIsALineOfItsOwn(t *testing.T) {
	s := parse(t, "$ kubectl exec -i web -- cat <<< 'a b'")
	assert.Equal(t, "a b\n", s.Steps[0].Command.Input)
}

// What is expected is what bash makes of the words.
func TestAWordMeansWhatAShellMakesOfIt(t *testing.T) {
	for typed, want := range map[string][]string{
		`a=b\ c w=C:\\dir \"q\" d\$e`:   {"a=b c", `w=C:\dir`, `"q"`, "d$e"},
		`"b\\c" "b\q" "\$x" 'b\\c'`:     {`b\c`, `b\q`, "$x", `b\\c`},
		`web-{0,1} {1..3} "{a,b}" {a}`:  {"web-0", "web-1", "1", "2", "3", "{a,b}", "{a}"},
		`jsonpath={.items[*]..name} ""`: {"jsonpath={.items[*]..name}", ""},
	} {
		assert.Equal(t, want, parse(t, "$ kubectl "+typed).Steps[0].Command.Args, typed)
	}
	assert.Equal(t, "a b\n", parse(t, `$ kubectl a <<< a\ b`).Steps[0].Command.Input)
}

func TestALineGoesOnAfterABackslashThatNoOtherEscapes(t *testing.T) {
	s := parse(t, "$ kubectl a C:\\\\\nadvance 1s\n$ kubectl b \\\n  c\n")
	require.Len(t, s.Steps, 3)
	assert.Equal(t, []string{"a", `C:\`}, s.Steps[0].Command.Args)
	assert.Equal(t, []string{"b", "c"}, s.Steps[2].Command.Args)
}

func TestAFileIsWrittenOnOneLine(t *testing.T) {
	s := parse(t, `write sub/a.yaml a: "\\n"\nb: c\n`)
	assert.Equal(t, []string{"sub/a.yaml", "a: \"\\n\"\nb: c\n"}, s.Steps[0].Verb.Args)
}

func TestCommandsOfOneLineFollowEachOther(t *testing.T) {
	s := parse(t, "$ kubectl a > a.yaml && \\\n    kubectl b && kubectl c <<< c")
	first := s.Steps[0].Command
	require.Equal(t, []string{"a"}, first.Args)
	assert.Equal(t, "a.yaml", first.To)
	require.Equal(t, []string{"b"}, first.Then.Args)
	require.Equal(t, []string{"c"}, first.Then.Then.Args)
	assert.Equal(t, "c\n", first.Then.Then.Input)
	assert.Nil(t, first.Then.Then.Then)
}

func TestEverythingThatIsWrongIsReportedWithItsLine(t *testing.T) {
	const grammar = `a command is kubectl with its arguments, then perhaps "<<< input", "> FILE", and "&" or "&& kubectl …"`
	for text, want := range map[string]string{
		"":                           `x.scene:1: nothing happens in this scene: a step begins with "$ " or a verb`,
		"advance":                    `x.scene:1: say "advance 1m30s"`,
		"advance -3s":                `x.scene:1: say "advance 1m30s"`,
		"write a.yaml":               `x.scene:1: say "write FILE first line\\nsecond line\\n"`,
		"write ../a b":               `x.scene:1: ../a is outside of the scene's folder`,
		"fail nginx":                 `x.scene:1: say "fail image nginx:1.27"`,
		"heal image a b":             `x.scene:1: say "heal image nginx:1.27"`,
		"drop":                       `x.scene:1: say "drop watches"`,
		"conflict":                   `x.scene:1: say "conflict deployment"`,
		"lose":                       `x.scene:1: say "lose deployment"`,
		"step":                       `x.scene:1: say "step deployment"`,
		"resync pods":                `x.scene:1: say "resync"`,
		"restart it":                 `x.scene:1: say "restart"`,
		"stop it":                    `x.scene:1: say "stop 2"`,
		"stop node":                  `x.scene:1: say "stop 2"`,
		"add":                        `x.scene:1: say "add node"`,
		"add node-4":                 `x.scene:1: say "add node"`,
		"cut 2":                      `x.scene:1: say "cut node-2"`,
		"cut node-2 node-3":          `x.scene:1: say "cut node-2"`,
		"start":                      `x.scene:1: say "start node-2"`,
		"start node-02":              `x.scene:1: say "start node-2"`,
		"edit a.yaml":                `x.scene:1: say "edit FILE s/old/new/"`,
		`edit a.yaml s/a/b\/`:        `x.scene:1: say "edit FILE s/old/new/"`,
		"edit ../a.yaml s/a/b/":      "x.scene:1: ../a.yaml is outside of the scene's folder",
		"$ ls":                       "x.scene:1: " + grammar,
		"$ kubectl get pods | wc":    "x.scene:1: " + grammar,
		"$ kubectl a; kubectl b":     "x.scene:1: " + grammar,
		"$ kubectl a || kubectl b":   "x.scene:1: " + grammar,
		"$ kubectl a && kubectl b &": "x.scene:1: " + grammar,
		"$ kubectl a && ls":          "x.scene:1: " + grammar,
		"$ A=b kubectl a":            "x.scene:1: " + grammar,
		"$ kubectl a 2> b":           "x.scene:1: " + grammar,
		"$ kubectl get $HOME":        "x.scene:1: a scene has no variables and substitutions: quote $HOME with '…'",
		"restart\nstop 1\r\n": "x.scene:2: this line has a carriage return: the file was saved, or checked out, " +
			"with Windows' line ends; save it with LF, or `git checkout` it again",
		"$ kubectl 'a":                       "x.scene:1: reached EOF without closing quote `'`",
		"restart\n\n# part: a\n\ntext":       `x.scene:5: "text" is printed by nothing: it stands below no command`,
		"# lives: 9\nrestart":                `x.scene:1: there is no setting "lives": there are acts, controllers, limit, look, nodes, seed, trace, with, writers`,
		"restart\n| a":                       "x.scene:2: no command runs in the background as number 1",
		"restart\na\n\nadvence 3s":           `x.scene:4: "advence" is no verb: "advance" is. (A line of output that begins so is written \advence 3s)`,
		"# part: a\nstop\n# part: a\nstop 0": "x.scene:3: a second part \"a\"\nx.scene:4: say \"stop 2\"",
	} {
		_, err := script.Parse("x.scene", []byte(text))
		assert.EqualError(t, err, want, text)
	}
}

func TestAnEditReachesOverLines(t *testing.T) {
	for edit, want := range map[string][]string{
		`edit a.yaml s/b: c/b: c\nd: e/`: {"a.yaml", "b: c", "b: c\nd: e"},
		`edit a.yaml s/b\nc//`:           {"a.yaml", "b\nc", ""},
		`edit a.yaml s/a\/b/c\\n/`:       {"a.yaml", "a/b", `c\n`},
		`edit a.yaml s|a/b|“c”|`:         {"a.yaml", "a/b", "“c”"},
	} {
		assert.Equal(t, want, parse(t, edit).Steps[0].Verb.Args, edit)
	}
}

func TestCaptionsSayWhatHappens(t *testing.T) {
	for verb, want := range map[string]string{
		"advance 1h1s":             "1 hour 1 second later",
		"advance 250ms":            "250 milliseconds later",
		"fail image a:1":           "a:1 can no longer be pulled",
		"heal image a:1":           "a:1 can be pulled",
		"drop watches":             "all watches lose their connections",
		"crash":                    "all controllers crash",
		"crash after a write":      "all controllers crash after their next write",
		"crash replication":        "the controller “replication” crashes",
		"restart":                  "the controllers start anew",
		"drop deployment":          "the next event doesn’t reach the queue of the controller “deployment”",
		"lose deployment":          "the answer to the next write of the controller “deployment” will be lost",
		"conflict deployment":      "the next update of the controller “deployment” will be refused",
		"late pods 5s":             "caches hear of pods 5 seconds late",
		"late pods 0s":             "caches hear of pods at once",
		"pause":                    "all controllers are paused",
		"pause garbage collector":  "the controller “garbage collector” is paused",
		"step deployment":          "the controller “deployment” takes one key",
		"go-on":                    "all controllers go on",
		"go-on deployment":         "the controller “deployment” goes on",
		"resync":                   "the controllers are told of all objects again",
		"edit a.yaml s|a/b|c d|":   "in a.yaml, “a/b” becomes “c d”",
		"advance until quiet":      "until nothing changes",
		`write a.yaml b: c\n`:      "a.yaml is written",
		"stop":                     "ctrl-C",
		"stop 2":                   "ctrl-C",
		"add node":                 "a machine is added",
		"cut node-2":               "node-2 is cut off from the network",
		"stop node-2":              "node-2 is switched off",
		"start node-12":            "node-12 is back",
		"edit sub/a.yaml s/1.2/3/": "in sub/a.yaml, “1.2” becomes “3”",
	} {
		assert.Equal(t, want, parse(t, verb).Steps[0].Verb.Caption())
	}
}
