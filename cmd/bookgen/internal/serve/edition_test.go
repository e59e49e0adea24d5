package serve

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
)

// The lock keeps the first build from beginning, as long as a test wants.
func TestTheCommittedPagesAreServedUntilTheBookIsBuilt(t *testing.T) {
	s := prepare(t)
	s.write("../site/index.html", "<body>Committed.</body>")
	release := s.hold()
	s.run()
	_, body := s.get("/")
	assert.Contains(t, body, "Committed.")
	assert.Contains(t, body, "(0, \"/-/news\")", "it will be loaded again when there is a build")
	const notice = "The book is being built from its sources; until that is done, its pages are the committed ones."
	assert.Contains(t, s.terminal.String(), notice)
	next := s.news()
	assert.Equal(t, `{"build":0,"problems":"","notice":"`+notice+`"}`, next())
	release()
	assert.Equal(t, `{"build":1,"problems":""}`, next())
	_, body = s.get("/")
	assert.Contains(t, body, "Small")
	assert.NotContains(t, body, "Committed.")
}

func TestTheLastBuildIsServedBeforeTheCommittedPages(t *testing.T) {
	s := prepare(t)
	s.write("../site/index.html", "<body>Committed.</body>")
	s.write("../public/index.html", "<body>Built before.</body>")
	defer s.hold()()
	s.run()
	_, body := s.get("/")
	assert.Contains(t, body, "Built before.")
	assert.Contains(t, s.terminal.String(), "its pages are those of the last build.")
}

func TestPagesThatAreAsTheyWereAreNotLoadedAgain(t *testing.T) {
	s := prepare(t)
	_, err := build.Publish(t.Context(), s.build)
	require.NoError(t, err)
	s.run()
	next := s.news()
	event := next()
	for strings.Contains(event, "notice") {
		event = next()
	}
	assert.Equal(t, `{"build":0,"problems":""}`, event)
	s.write("01-loop/chapter.md", chapterText+"\nA new sentence.\n\n[loop.go](loop.go)\n")
	assert.Equal(t, `{"build":1,"problems":""}`, next())
}

// A committed page leads to a file where a built one leads to its listing.
func TestFilesOfTheChaptersAreServedAsText(t *testing.T) {
	s := prepare(t)
	defer s.hold()()
	s.run()
	response, err := http.Get(s.address + "/chapters/01-loop/loop.go")
	require.NoError(t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, "package loop\n", string(content))
	assert.Equal(t, "text/plain; charset=utf-8", response.Header.Get("Content-Type"))
	for _, path := range []string{"/chapters/../go.mod", "/chapters/%2e%2e/go.mod", "/go.mod", "/chapters"} {
		status, _ := s.get(path)
		assert.Equal(t, http.StatusNotFound, status, path)
	}
}

func TestTheCommittedPagesStayWhenTheFirstBuildFails(t *testing.T) {
	s := prepare(t)
	s.write("../site/index.html", "<body>Committed.</body>")
	s.write("01-loop/chapter.md", chapterText)
	s.run()
	next := s.news()
	event := next()
	for strings.Contains(event, "notice") {
		event = next()
	}
	assert.Contains(t, event, "loop.go:1: line 1 is on no page")
	_, body := s.get("/")
	assert.Contains(t, body, "Committed.")
	s.write("01-loop/chapter.md", chapterText+"\n[loop.go](loop.go)\n")
	assert.Equal(t, `{"build":1,"problems":""}`, next())
}

func TestItEndsDuringTheFirstBuild(t *testing.T) {
	s := prepare(t)
	s.write("../site/index.html", "<body>Committed.</body>")
	release := s.hold()
	s.run()
	s.stop()
	s.waitForEnd()
	release()
	assert.NoDirExists(t, s.build.Public())
	content, err := os.ReadFile(filepath.Join(s.build.Site(), "index.html"))
	require.NoError(t, err)
	assert.Equal(t, "<body>Committed.</body>", string(content))
}
