package browser

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// tab is a tab of the browser. It notes what the page says and asks for.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	console  []string
	requests []string
}

// newTab opens a tab of the given width on light paper, without motion.
func newTab(t *testing.T, width int64) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(browserContext(t))
	t.Cleanup(closeTab)
	tb := &tab{t: t, ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, tb.note))
	limited, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	tb.ctx = limited

	_, err := chromedp.Call(tb.ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(tb.ctx, log.Enable, cdp.Empty{})
	require.NoError(t, err)
	tb.resize(width)
	tb.prefer("light")
	return tb
}

// note keeps console messages, exceptions and requests.
func (tb *tab) note(event any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		tb.console = append(tb.console, fmt.Sprint("console: ", e.Type, " ", len(e.Args), " values"))
	case *runtime.EventExceptionThrown:
		tb.console = append(tb.console, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		tb.console = append(tb.console, fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *network.EventRequestWillBeSent:
		tb.requests = append(tb.requests, e.Request.URL)
	}
}

// said returns what was noted so far.
func (tb *tab) said() (console, requests []string) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return append([]string(nil), tb.console...), append([]string(nil), tb.requests...)
}

// resize gives the window another width.
func (tb *tab) resize(width int64) {
	tb.t.Helper()
	tb.do(chromedp.EmulateViewport(width, 900))
}

// prefer sets the colour scheme that the system asks for, and asks for no motion.
func (tb *tab) prefer(scheme string) {
	tb.t.Helper()
	_, err := chromedp.Call(tb.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"},
		},
	})
	require.NoError(tb.t, err)
}

func (tb *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	require.NoError(tb.t, chromedp.Do(tb.ctx, steps...))
}

// open loads a page and waits for it, its fonts included.
func (tb *tab) open(url string) {
	tb.t.Helper()
	tb.do(chromedp.Navigate(url))
	ask[bool](tb, `document.fonts.ready.then(() => true)`)
}

// press types keys into whatever has the focus.
func (tb *tab) press(keys string) {
	tb.t.Helper()
	tb.do(chromedp.KeyEvent(keys))
}

// keys that are pressed by name.
const (
	enter     = kb.Enter
	escape    = kb.Escape
	arrowDown = kb.ArrowDown
	tabKey    = kb.Tab
)

// wait returns when the expression has become true, on this page or on the
// next: where one page gives way to another, polling begins again.
func (tb *tab) wait(expression string) {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, 10*time.Second)
	defer cancel()
	for {
		_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression))
		if err == nil {
			return
		}
		require.NoError(tb.t, ctx.Err(), "waiting for %s", expression)
	}
}

// ask evaluates an expression in the page, and waits where it is a promise.
func ask[T any](tb *tab, expression string) T {
	tb.t.Helper()
	value, err := chromedp.Run(tb.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(tb.t, err, "evaluating %.200s", expression)
	return value
}
