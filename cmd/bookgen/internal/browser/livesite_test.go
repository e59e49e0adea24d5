package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/internal/slow"
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
// for. While it is held, the engine does not come to its end.
type liveSite struct {
	url string

	mu     sync.Mutex
	asked  []string
	gate   chan struct{}
	gone   bool
	brotli bool // it says that what ends in .br is packed
}

func serveLive(t *testing.T) *liveSite {
	t.Helper()
	slow.Deep(t, "live", "the engine takes minutes to compile")
	browserContext(t)
	dir, err := renderLive()
	require.NoError(t, err)
	s := &liveSite{}
	files := http.FileServer(http.Dir(dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		if r.Method == http.MethodGet {
			s.asked = append(s.asked, r.URL.Path)
		}
		gate, brotli, gone := s.gate, s.brotli, s.gone && strings.Contains(r.URL.Path, "assets/") && !strings.HasSuffix(r.URL.Path, ".css") && !strings.HasSuffix(r.URL.Path, ".js")
		s.mu.Unlock()
		if gone {
			http.Error(w, "gone", http.StatusServiceUnavailable)
			return
		}
		if gate != nil && strings.HasSuffix(r.URL.Path, ".gz") {
			w = &gated{ResponseWriter: w, free: 1_000_000, gate: gate, gone: r.Context().Done()}
		}
		if brotli && strings.HasSuffix(r.URL.Path, ".br") {
			w.Header().Set("Content-Encoding", "br")
		}
		files.ServeHTTP(w, r)
	}))
	atTheEnd(server.Close)
	s.url = server.URL + "/"
	return s
}

// gated sends some bytes, and the rest when its gate opens.
type gated struct {
	http.ResponseWriter
	free       int
	gate, gone <-chan struct{}
}

func (g *gated) Write(text []byte) (int, error) {
	if g.free -= len(text); g.free < 0 {
		select {
		case <-g.gate:
		case <-g.gone:
		}
	}
	return g.ResponseWriter.Write(text)
}

// hold keeps the engine back, but its first megabyte, until the returned function is
// called.
func (s *liveSite) hold() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = make(chan struct{})
	return sync.OnceFunc(func() { close(s.gate) })
}

// close takes the engine away, and what it plays from. Pages are there.
func (s *liveSite) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = true
}

// packs has the server send brotli as such.
func (s *liveSite) packs() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.brotli = true
}

// file returns where the site has an asset: its name begins and ends so.
func (s *liveSite) file(begins, ends string) string {
	dir, _ := renderLive() // it was rendered to be served
	found, _ := filepath.Glob(filepath.Join(dir, "assets", begins+"-*"+ends))
	return strings.Join(found, " ")
}

// requests returns how many files were fetched whose paths contain a text.
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
	p.comes(p.find(".live [role=status]") + `.hidden && ` + p.find(".live pre") + `.textContent.includes(` + quote(text) + `)`)
}

// comes waits until something holds, and says what went wrong instead.
func (p prompt) comes(expression string) {
	p.tb.t.Helper()
	p.tb.wait(p.find(".live [role=status]") + `.className === "wrong" || ` + expression)
	require.Empty(p.tb.t, p.text(".live .wrong"))
}

// says waits for a word on how it goes.
func (p prompt) says(text string) {
	p.tb.t.Helper()
	p.tb.wait(p.find(".live [role=status]") + `.textContent.includes(` + quote(text) + `)`)
}

// line returns what stands at the prompt.
func (p prompt) line() string { return ask[string](p.tb, p.find(".live input")+".value") }

// clear takes away what stands at the prompt.
func (p prompt) clear() { ask[bool](p.tb, "!("+p.find(".live input")+`.value = "")`) }

// begins opens a transcript of a page, and fetches what plays it.
func begins(tb *tab, s *liveSite, page, id string) prompt {
	tb.t.Helper()
	tb.open(s.url + page)
	p := prompt{tb, id}
	p.focus()
	p.types("kubectl get pods")
	tb.wait(`document.activeElement.textContent === "fetch it" || !` + p.find(".live pre") + ".hidden")
	if p.text(".live [role=status] button") == "fetch it" {
		tb.press(enter)
	}
	p.answers("kubectl get pods")
	return p
}

// button presses one of the prompt's buttons, by the keyboard.
func (p prompt) button(text string) {
	p.tb.t.Helper()
	found := `[...` + p.find(".live") + `.querySelectorAll("button")].find((b) => b.textContent === ` + quote(text) + `)`
	p.tb.wait("!!" + found)
	ask[bool](p.tb, found+".focus() ?? true")
	p.tb.press(enter)
}

const (
	theKubelet = "01-control-loop/the-kubelet/index.html"
	podLife    = "testdata/pod-life.scene:begins"
)
