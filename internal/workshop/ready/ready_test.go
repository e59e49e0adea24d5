package ready_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/gowork"
	"reconcile/internal/workshop/ready"
)

// aMachine is ready; go takes a second for each call.
func aMachine() ready.Machine {
	var clock time.Time
	return ready.Machine{
		Getenv:   func(string) string { return "" },
		LookPath: func(name string) (string, error) { return name, nil },
		Size:     func() (int, int, error) { return 120, 40, nil },
		Go: func(_ context.Context, arguments ...string) (string, error) {
			clock = clock.Add(time.Second)
			if arguments[0] == "version" {
				return "go version go1.26.8 plan9/arm\n", nil
			}
			return "", nil
		},
		Lab: func(context.Context) error { clock = clock.Add(2 * time.Second); return nil },
		Now: func() time.Time { return clock },
	}
}

func told(m ready.Machine) (string, bool) {
	var out strings.Builder
	findings := ready.Examine(context.Background(), m)
	ready.Print(&out, findings)
	return out.String(), ready.Stops(findings)
}

func TestAMachineThatIsReadySaysSoInThreeLines(t *testing.T) {
	text, stops := told(aMachine())
	assert.False(t, stops)
	assert.Contains(t, text, "ok       test      a test of exercise 1b passes, in 1s\n")
	three := strings.Split(strings.TrimSpace(text[strings.Index(text, "instructor:")+len("instructor:"):]), "\n")
	assert.Len(t, three, 3)
	assert.Contains(t, text, "ok       lab       it starts, in 2s\n")
	assert.Contains(t, three[1], "; lab: it starts, in 2s")
	assert.Contains(t, three[0], "go: go1.26.8 plan9/arm; ")
	assert.Contains(t, three[2], "terminal: 120 columns, 40 lines; editor: code")
}

func TestWithoutGoTheLabThatWasPackedSuffices(t *testing.T) {
	m := aMachine()
	m.Go = func(context.Context, ...string) (string, error) { return "", gowork.ErrNoGo }
	text, stops := told(m)
	assert.False(t, stops)
	assert.Contains(t, text, "missing  go        is not in the PATH\n")
	assert.Contains(t, text, "open a new terminal; without it the lab runs and the book is read, and no exercise is judged\n")
	assert.Contains(t, text, "  go: MISSING: ")
	assert.Contains(t, text, "build: not tried; test: not tried; lab: it starts, in 2s\n")
}

func TestALabThatDoesNotStartIsMissing(t *testing.T) {
	m := aMachine()
	m.Lab = func(context.Context) error { return errors.New("no port is free") }
	text, stops := told(m)
	assert.True(t, stops)
	assert.Contains(t, text, "missing  lab       no port is free\n")
	assert.Contains(t, text, "; lab: MISSING: no port is free\n")
}

func TestWithoutGoNothingIsBuilt(t *testing.T) {
	m := aMachine()
	m.Go = func(_ context.Context, arguments ...string) (string, error) {
		assert.Equal(t, "version", arguments[0])
		return "", errors.New("exec: \"go\": executable file not found in $PATH")
	}
	m.Lab = func(context.Context) error { return gowork.ErrNoGo }
	text, stops := told(m)
	assert.True(t, stops)
	assert.Contains(t, text, "install Go 1.26 or newer")
	assert.Contains(t, text, "build: not tried; test: not tried")
}

func TestAModuleThatIsNotThereIsNamed(t *testing.T) {
	m := aMachine()
	m.Go = func(_ context.Context, arguments ...string) (string, error) {
		if arguments[0] == "build" {
			return "first\nk8s.io/api@v0.37.2: module lookup disabled by GOPROXY=off\n", errors.New("exit status 1")
		}
		return "go version go1.26.8", nil
	}
	text, stops := told(m)
	assert.True(t, stops)
	assert.Contains(t, text, "go build ./chapters/01-control-loop: k8s.io/api@v0.37.2: module lookup disabled by GOPROXY=off")
	assert.Contains(t, text, "go mod download")
}

func TestANarrowTerminalAndNoEditor(t *testing.T) {
	m := aMachine()
	m.Size = func() (int, int, error) { return 60, 24, nil }
	m.LookPath = func(string) (string, error) { return "", os.ErrNotExist }
	text, stops := told(m)
	assert.True(t, stops)
	assert.Contains(t, text, "missing  terminal  60 columns\n")
	assert.Contains(t, text, "missing  editor    none was found\n")
	m.Getenv = func(name string) string { return map[string]string{"EDITOR": "ed"}[name] }
	text, _ = told(m)
	assert.Contains(t, text, "ok       editor    ed\n")
}
