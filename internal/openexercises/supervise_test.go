package openexercises

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const fixture = "RECONCILE_OPEN_FIXTURE"

// TestMain hands over to Run where a test asks for it, or takes its time to
// leave, as a process under -race does.
func TestMain(m *testing.M) {
	if os.Getenv(fixture) == "Run" {
		os.Exit(Run(m))
	}
	code := m.Run()
	if os.Getenv(fixture) == "TestFixtureLeaves" {
		time.Sleep(2500 * time.Millisecond)
	}
	os.Exit(code)
}

// supervised runs the tests of this file whose names begin with prefix.
func supervised(t *testing.T, prefix, verbose string) (exitCode int, said string) {
	t.Helper()
	return supervisedBy(t, measure{limit: time.Second, busy: 6, enough: 2, patience: 2}, prefix, verbose)
}

func supervisedBy(t *testing.T, by measure, prefix, verbose string) (exitCode int, said string) {
	t.Helper()
	var out bytes.Buffer
	s := supervisor{out: &out, verbose: verbose, measure: by, start: func(skip string) *exec.Cmd {
		command := exec.Command(os.Args[0], "-test.run=^"+prefix, "-test.v=test2json", "-test.skip="+skip)
		command.Env = append(os.Environ(), fixture+"="+prefix)
		return command
	}}
	exitCode = s.run()
	return exitCode, regexp.MustCompile(`\(\d+\.\d\ds\)`).ReplaceAllString(out.String(), "(0s)")
}

func TestATestThatPanicsFailsAndTheRestAreRun(t *testing.T) {
	code, said := supervised(t, "TestFixtureMixed", "false")
	assert.Equal(t, 1, code)
	assert.Equal(t, `--- FAIL: TestFixtureMixedB (0s)
    supervise_test.go:N: this differs
    --- FAIL: TestFixtureMixedB/below (0s)
        supervise_test.go:N: and that
--- FAIL: TestFixtureMixedC (0s)
    died of: runtime error: index out of range [0] with length 0
        in supervise_test.go:N, called by supervise_test.go:N
--- FAIL: TestFixtureMixedD
    died of: nobody looks
        in supervise_test.go:N, called by supervise_test.go:N
FAIL
`, lineless(said))
	assert.NotContains(t, said, "panic:")
}

func TestATestThatComesToNoEndIsGivenUp(t *testing.T) {
	code, said := supervised(t, "TestFixtureLock", "false")
	assert.Equal(t, 1, code)
	assert.Equal(t, `--- FAIL: TestFixtureLockA
    does not come to an end: it was given up after 1s. A loop that never leaves, or a lock that nobody gives back?
        sync.Mutex.Lock: supervise_test.go:N
FAIL
`, lineless(said))
}

func TestOneThatComesToNoEndMayBeEnough(t *testing.T) {
	code, said := supervisedBy(t, measure{limit: time.Second, busy: 6, enough: 2, patience: 1}, "TestFixtureLock", "test2json")
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "does not come to an end")
	assert.Contains(t, said, "The tests that are left are not run.")
	assert.NotContains(t, said, "TestFixtureLockB")
}

func TestATestThatIsGivenUpIsNamedHoweverItsProcessEnds(t *testing.T) {
	code, said := supervised(t, "TestFixtureExits", "false")
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "--- FAIL: TestFixtureExits\n    does not come to an end")
}

func TestAReaderWhoWaitsIsToldSoon(t *testing.T) {
	command := exec.Command(os.Args[0], "-test.run=^TestFixtureLock", "-test.v=test2json")
	command.Dir = filepath.Join(t.TempDir(), "01-counting")
	require.NoError(t, os.Mkdir(command.Dir, 0o755))
	command.Env = append(os.Environ(), fixture+"=Run", Env+"=1b", SoonEnv+"=1")
	said, err := command.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(said), "--- FAIL: TestFixtureLockA")
	assert.NotContains(t, string(said), "TestFixtureLockB", "one was enough")
}

func TestAPanicInTheLastTestIsTheLastWord(t *testing.T) {
	for _, verbose := range []string{"false", "true", "test2json"} {
		code, said := supervised(t, "TestFixturePanic", verbose)
		assert.Equal(t, 1, code)
		assert.Contains(t, said, "died of: so it ends")
		assert.NotContains(t, said, "no tests to run", verbose)
	}
}

func TestATestThatIsOnlySlowIsWaitedFor(t *testing.T) {
	if Computed(os.Getpid()) < 0 {
		t.Skip("this system does not say how much a process has computed")
	}
	code, said := supervised(t, "TestFixtureSlow", "false")
	assert.Zero(t, code, said)
}

func TestATestThatComputesInCirclesIsGivenUp(t *testing.T) {
	if Computed(os.Getpid()) < 0 {
		t.Skip("this system does not say how much a process has computed")
	}
	code, said := supervised(t, "TestFixtureCircle", "false")
	assert.Equal(t, 1, code)
	assert.Regexp(t, `does not come to an end: it was given up after \d+s`, said)
}

func TestAProcessThatLeavesLateIsWaitedFor(t *testing.T) {
	code, said := supervised(t, "TestFixtureLeaves", "false")
	assert.Zero(t, code, said)
	assert.Equal(t, "PASS\n", said)
}

func TestWhatPassesSaysNothing(t *testing.T) {
	code, said := supervised(t, "TestFixturePasses", "false")
	assert.Zero(t, code)
	assert.Equal(t, "PASS\n", said)
}

func TestTheGoToolReadsWhatASupervisedTestSays(t *testing.T) {
	_, said := supervised(t, "TestFixtureMixed", "test2json")
	command := exec.Command("go", "tool", "test2json")
	command.Stdin = strings.NewReader(said)
	events, err := command.Output()
	assert.NoError(t, err)
	for test, action := range map[string]string{"A": "pass", "B": "fail", "C": "fail", "D": "fail", "E": "pass"} {
		assert.Equal(t, 1, strings.Count(string(events), fmt.Sprintf(`{"Action":%q,"Test":"TestFixtureMixed%s"`, action, test)), test)
	}
}

func lineless(said string) string {
	return regexp.MustCompile(`\.go:\d+`).ReplaceAllString(said, ".go:N")
}

// These fixtures do to tests what a reader's half-written function does.

func fixtureOnly(t *testing.T) {
	if os.Getenv(fixture) == "" {
		t.Skip("it is a fixture of other tests")
	}
}

func TestFixtureMixedA(t *testing.T) { fixtureOnly(t); t.Log("this is not shown") }

func TestFixtureMixedB(t *testing.T) {
	fixtureOnly(t)
	t.Error("this differs")
	t.Run("below", func(t *testing.T) { t.Error("and that") })
	t.Run("fine", func(t *testing.T) {})
}

func TestFixtureMixedC(t *testing.T) {
	fixtureOnly(t)
	t.Log(first(nil))
}

func first(all []string) string { return all[0] }

func TestFixtureMixedD(t *testing.T) {
	fixtureOnly(t)
	var waits sync.WaitGroup
	waits.Add(1)
	go func() { panic("nobody looks") }()
	waits.Wait()
}

func TestFixtureMixedE(t *testing.T) { fixtureOnly(t) }

func TestFixturePanic(t *testing.T) {
	fixtureOnly(t)
	panic("so it ends")
}

// TestFixtureExits ends with the exit code of tests that fail, as a process does
// that is killed on Windows.
func TestFixtureExits(t *testing.T) {
	fixtureOnly(t)
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGQUIT)
	<-asked
	os.Exit(1)
}

func TestFixtureLockA(t *testing.T) {
	fixtureOnly(t)
	var mu sync.Mutex
	mu.Lock()
	mu.Lock()
}

func TestFixtureLockB(t *testing.T) { fixtureOnly(t) }

func TestFixtureSlow(t *testing.T) {
	fixtureOnly(t)
	for began := time.Now(); time.Since(began) < 1500*time.Millisecond; {
	}
}

func TestFixtureCircle(t *testing.T) {
	fixtureOnly(t)
	for began := time.Now(); time.Since(began) < time.Hour; {
	}
}

func TestFixtureLeaves(t *testing.T) { fixtureOnly(t) }

func TestFixturePasses(t *testing.T) { fixtureOnly(t); t.Log("this is not shown") }

func TestAFileOfAPagesPackageIsFoundInItsBook(t *testing.T) {
	here := filepath.FromSlash("/book/chapters/01-counting")
	assert.Equal(t, filepath.Join(here, "plan.go"), inBook(here, "reconcile/chapters/01-counting/plan.go"))
	assert.Equal(t, "/go/src/slices/sort.go", inBook(here, "/go/src/slices/sort.go"))
}
