package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
)

// renderLive renders the book with its engine, once for all tests.
var renderLive = sync.OnceValues(func() (dir string, err error) {
	cache, err := build.DefaultCache()
	if err != nil {
		return "", err
	}
	edition, err := build.Compose(context.Background(), build.Options{Root: root, Cache: cache, Live: true})
	if err != nil {
		return "", err
	}
	dir = filepath.Join(workshop, "live")
	return dir, write(dir, edition.Files)
})

// liveSite is the book with its engine, on a server that notes what it is asked
// for. While it is held, it keeps the engine back.
type liveSite struct {
	url string

	mu    sync.Mutex
	asked []string
	gate  chan struct{}
}

func serveLive(t *testing.T) *liveSite {
	t.Helper()
	if testing.Short() {
		t.Skip("the engine takes minutes to compile")
	}
	browserContext(t)
	dir, err := renderLive()
	require.NoError(t, err)
	s := &liveSite{}
	files := http.FileServer(http.Dir(dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.Path)
		gate := s.gate
		s.mu.Unlock()
		if gate != nil && strings.HasSuffix(r.URL.Path, ".gz") {
			select {
			case <-gate:
			case <-r.Context().Done():
			}
		}
		files.ServeHTTP(w, r)
	}))
	atTheEnd(server.Close)
	s.url = server.URL + "/"
	return s
}

// hold keeps the engine back until the returned function is called.
func (s *liveSite) hold() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = make(chan struct{})
	return sync.OnceFunc(func() { close(s.gate) })
}

// requests returns how many paths were asked for that contain a text.
func (s *liveSite) requests(of string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range s.asked {
		if strings.Contains(path, of) {
			n++
		}
	}
	return n
}

// prompt is a transcript with what stands below it.
type prompt struct {
	tb *tab
	id string
}

func (p prompt) find(selector string) string {
	return `document.getElementById(` + quote(p.id) + `).querySelector(` + quote(selector) + `)`
}

func (p prompt) text(selector string) string {
	p.tb.t.Helper()
	return ask[string](p.tb, p.find(selector)+"?.textContent ?? ''")
}

// focus goes to the prompt, and waits until its script is there.
func (p prompt) focus() {
	p.tb.t.Helper()
	ask[bool](p.tb, p.find(".live input")+".focus() ?? true")
	p.tb.wait(`!!` + p.find(".live [role=status]"))
}

// types types a line.
func (p prompt) types(line string) {
	p.tb.t.Helper()
	p.tb.press(line)
	p.tb.press(enter)
}

// answers waits until something was answered, and says what went wrong instead.
func (p prompt) answers(text string) {
	p.tb.t.Helper()
	says := p.find(".live [role=status]")
	p.tb.wait(says + `.className === "wrong" || ` + says + `.hidden && ` + p.find(".live pre") + `.textContent.includes(` + quote(text) + `)`)
	require.Empty(p.tb.t, p.text(".live .wrong"))
}

const podLife = "testdata/pod-life.scene:begins"

func TestLiveATranscriptGoesOnByTheKeyboardAlone(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 390)
	tb.open(s.url + "01-control-loop/the-kubelet/index.html")
	assert.Zero(t, s.requests("live.js")+s.requests("engine")+s.requests(".json"), "nothing is asked for before the reader does")
	p := prompt{tb, podLife}
	p.focus()

	p.types("ls")
	assert.Contains(t, p.text("[role=status]"), "a line is kubectl with its arguments")
	ask[bool](tb, p.find("input")+".select() ?? true")
	p.types("kubectl get pods")
	tb.wait(`document.activeElement.textContent === "fetch it"`)
	assert.Regexp(t, `\d+ MB, fetched once`, p.text("[role=status]"))
	assert.Zero(t, s.requests("engine"), "it asks before it fetches")
	assertAccessible(t, tb)

	tb.press(enter)
	p.answers("Running")
	assert.Regexp(t, `(?s)\$ kubectl get pods\nNAME +READY.*nginx +1/1 +Running`, p.text(".live pre"))
	fetched := s.requests("")
	p.types("advance 30s")
	p.answers("advance 30s")
	p.types("kubectl delete pod nginx --now")
	p.answers("deleted from default namespace")
	assert.Equal(t, fetched, s.requests(""), "what is fetched once is all")
	assertAccessible(t, tb)
	tb.resize(1440)
	tb.prefer("dark")
	assertAccessible(t, tb)

	tb.press(kb.ArrowUp)
	tb.press(kb.ArrowUp)
	assert.Equal(t, "advance 30s", ask[string](tb, p.find("input")+".value"))
	ask[bool](tb, p.find("input")+".select() ?? true")
	p.types("kubectl get events -w")
	p.answers("ctrl-C")
	console, _ := tb.said()
	assert.Empty(t, console)

	link := ask[string](tb, `[...`+p.find(".live")+`.querySelectorAll("button")].find((b) => b.textContent === "link to this").click() ?? location.href`)
	second := newTab(t, 1440)
	second.open(link)
	prompt{second, podLife}.answers("deleted from default namespace")
	assert.Equal(t, 1, s.requests(".gz"), "another tab has it from the first")
}

func TestLiveAFetchCanBeCancelled(t *testing.T) {
	s := serveLive(t)
	release := s.hold()
	t.Cleanup(release)
	tb := newTab(t, 1440)
	tb.open(s.url + "01-control-loop/the-kubelet/index.html")
	p := prompt{tb, podLife}
	p.focus()
	p.types("kubectl get pods")
	tb.wait(`document.activeElement.textContent === "fetch it"`)
	tb.press(enter)
	tb.wait(p.find(".live [role=status]") + `.textContent.includes("ctrl-C")`)
	tb.do(chromedp.Click(chromedp.CSS(`[id="` + podLife + `"] .live [role=status] button`)))
	tb.wait(p.find(".live [role=status]") + `.textContent.includes("stopped")`)
	release()
	p.focus()
	tb.press(enter)
	p.answers("Running")
}

func TestLiveThePromptWeighsNextToNothing(t *testing.T) {
	serveLive(t)
	dir, err := renderLive()
	require.NoError(t, err)
	assert.Less(t, zipped(t, filepath.Join(dir, "assets/live-begin.js")), 1000)
	assert.Less(t, zipped(t, filepath.Join(dir, "assets/live.css")), 1000)
	_, err = os.Stat(filepath.Join(book, "assets/live-begin.js"))
	assert.ErrorIs(t, err, os.ErrNotExist, "the committed site is without it")
}
