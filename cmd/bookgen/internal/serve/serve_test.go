package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/internal/filelock"
)

const (
	bookText    = "---\ntitle: Small\ndescription: A book in a test.\nedition: 1\ndate: 2026-01-02\nchapters:\n- {slug: 01-loop, title: Loop}\n---\nBegin.\n"
	chapterText = "---\nnumber: 1\ntitle: Loop\ncore: [loop.go]\nparts: [in-kubernetes.md]\n---\n# Loop\n\nRound and round.\n"
)

const courseText = "---\n{title: An hour, summary: All., start: \"09:00\", minutes: 60, people: 9}\n---\n## The loop\n\n- 20 min: Talk\n"

// terminal is the output of serve, safe to read while it runs.
type terminal struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (w *terminal) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

func (w *terminal) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.String()
}

// session is a running serve over a small book.
type session struct {
	t        *testing.T
	build    build.Options
	terminal *terminal
	address  string
	stop     context.CancelFunc
	ended    chan error
}

// prepare writes a book that is not served yet.
func prepare(t *testing.T) *session {
	root := t.TempDir()
	s := &session{t: t, build: build.Options{Root: root, Cache: t.TempDir()}, terminal: &terminal{}, ended: make(chan error, 1)}
	s.write("../go.mod", "module reconcile\n\ngo 1.26\n")
	s.write("book.md", bookText)
	s.write("../workshop/hour.md", courseText)
	s.write("01-loop/loop.go", "package loop\n")
	s.write("01-loop/in-kubernetes.md", "---\ntitle: There\nsummary: The same.\n---\n# There\n")
	s.write("01-loop/chapter.md", chapterText+"\n[loop.go](loop.go)\n")
	return s
}

// run serves, and waits until it listens.
func (s *session) run() {
	s.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.ended <- Run(ctx, Options{Build: s.build, Out: s.terminal})
	}()
	s.t.Cleanup(func() {
		stop()
		<-ended // it may be writing into folders that the test removes
	})
	serving := regexp.MustCompile(`serving on (http://\S+)/`)
	require.Eventually(s.t, func() bool {
		m := serving.FindStringSubmatch(s.terminal.String())
		if m != nil {
			s.address = m[1]
		}
		return m != nil
	}, 20*time.Second, 5*time.Millisecond, "it did not start: %s", s.terminal)
}

// start serves a book, and waits until it is built.
func start(t *testing.T) *session {
	s := prepare(t)
	s.run()
	next := s.news()
	for event := next(); !strings.Contains(event, `"build":1`); event = next() {
		require.NotEmpty(t, event, "it was not built: %s", s.terminal)
	}
	return s
}

// hold takes the site's lock, as another bookgen does while it builds.
func (s *session) hold() (release func()) {
	s.t.Helper()
	name := fmt.Sprintf("site-%x.lock", sha256.Sum256([]byte(s.build.Site())))
	release, err := filelock.Hold(filepath.Join(s.build.Cache, name))
	require.NoError(s.t, err)
	return release
}

// waitForEnd requires that it ends, and without an error.
func (s *session) waitForEnd() {
	s.t.Helper()
	select {
	case err := <-s.ended:
		assert.NoError(s.t, err)
	case <-time.After(10 * time.Second):
		s.t.Fatal("it did not end")
	}
}

func (s *session) write(name, content string) {
	s.t.Helper()
	path := filepath.Join(s.build.Chapters(), name)
	require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
	// Whole at once: a file that is empty for a moment may be built so.
	whole := filepath.Join(filepath.Dir(path), "."+filepath.Base(path))
	require.NoError(s.t, os.WriteFile(whole, []byte(content), 0o644))
	require.NoError(s.t, os.Rename(whole, path))
}

func (s *session) get(path string) (status int, body string) {
	s.t.Helper()
	response, err := http.Get(s.address + path)
	require.NoError(s.t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	return response.StatusCode, string(content)
}

// news returns a function that waits for the next event.
func (s *session) news() (next func() string) {
	s.t.Helper()
	response, err := http.Get(s.address + newsPath)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { response.Body.Close() })
	lines := bufio.NewScanner(response.Body)
	return func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
}

func TestPagesReloadAfterASave(t *testing.T) {
	s := start(t)
	next := s.news()
	assert.Equal(t, `{"build":1,"problems":""}`, next())
	s.write("01-loop/chapter.md", chapterText+"\nA new sentence.\n\n[loop.go](loop.go)\n")
	assert.Equal(t, `{"build":2,"problems":""}`, next())
	_, body := s.get("/01-loop/")
	assert.Contains(t, body, "A new sentence.")
}

func TestProblemsAreShownAndTheLastGoodSiteStays(t *testing.T) {
	s := start(t)
	next := s.news()
	next()
	s.write("01-loop/chapter.md", chapterText)
	news := next()
	assert.Contains(t, news, `"build":1,`)
	assert.Contains(t, news, "loop.go:1: line 1 is on no page")
	assert.Contains(t, s.terminal.String(), "loop.go:1: line 1 is on no page")
	status, body := s.get("/01-loop/index.html")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "Round and round.")
	s.write("01-loop/chapter.md", chapterText+"\n[loop.go](loop.go)\n")
	assert.Equal(t, `{"build":2,"problems":""}`, next())
}

// TestASaveIsNotLostWhileAnotherServes saves while another bookgen has the
// site's lock.
func TestASaveIsNotLostWhileAnotherServes(t *testing.T) {
	s := start(t)
	next := s.news()
	next()
	release := s.hold()
	s.write("01-loop/chapter.md", chapterText+"\nA new sentence.\n\n[loop.go](loop.go)\n")
	time.AfterFunc(3*again, release)
	assert.Equal(t, `{"build":2,"problems":""}`, next())
	_, body := s.get("/01-loop/")
	assert.Contains(t, body, "A new sentence.")
}

func TestFoldersThatAreNewAreWatched(t *testing.T) {
	s := start(t)
	next := s.news()
	next()
	require.NoError(t, os.Mkdir(filepath.Join(s.build.Chapters(), "01-loop", "manifests"), 0o755))
	next()
	s.write("01-loop/manifests/web.yaml", "a: 1\n")
	next()
	status, _ := s.get("/01-loop/manifests/web.yaml.html")
	assert.Equal(t, http.StatusOK, status)
}

func TestACourseIsMadeAnewWhenItIsSaved(t *testing.T) {
	s := start(t)
	next := s.news()
	next()
	s.write("../workshop/hour.md", courseText+"- 10 min: More talk\n")
	next()
	_, body := s.get("/teach/hour/")
	assert.Contains(t, body, "More talk")
}

func TestTheScriptIsInServedPagesOnly(t *testing.T) {
	s := start(t)
	_, body := s.get("/")
	assert.Contains(t, body, "new EventSource(newsPath)")
	onDisk, err := os.ReadFile(filepath.Join(s.build.Site(), "index.html"))
	require.NoError(t, err)
	assert.NotContains(t, string(onDisk), "EventSource")
}

func TestPagesThatAreNotThereAreNotFound(t *testing.T) {
	s := start(t)
	for _, path := range []string{"/none.html", "/../go.mod", "/%2e%2e/go.mod"} {
		status, body := s.get(path)
		assert.Equal(t, http.StatusNotFound, status, path)
		assert.NotContains(t, body, "module reconcile", path)
	}
}

// Its links are those of the root, and it stands in any folder.
func TestLinksOfThePageNotFoundLeadIntoTheBook(t *testing.T) {
	s := start(t)
	_, body := s.get("/none/such.html")
	assert.Contains(t, body, `<head><base href="/">`)
	assert.Contains(t, body, `href="index.html"`)
}

func TestItEndsCleanlyWhilePagesListen(t *testing.T) {
	s := start(t)
	next := s.news()
	next()
	s.stop()
	s.waitForEnd()
}

func TestAPortInUseNamesTheFlag(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	err = Run(context.Background(), Options{Port: port, Out: io.Discard})
	assert.EqualError(t, err, fmt.Sprintf("port %d is in use: choose another with --port, or any free one with --port 0", port))
}
