package browser

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// tab is a tab of the browser, lent to a test. It notes the page's messages and
// requests.
type tab struct {
	t     *testing.T
	ctx   context.Context // as long as the test has the tab
	width int64

	life  context.Context // as long as the tab is there
	close context.CancelFunc

	mu       sync.Mutex
	console  []string
	requests []string
}

// idle holds the tabs that no test has. Opening a tab costs as much as opening
// four pages in it: it is a process.
var idle = make(chan *tab, 16)

// patience is how long a test may have a tab, on a machine that does much else
// at the same time, too.
const patience = 10 * time.Minute

// newTab lends the test a tab of the given width on light paper, with scripts,
// without motion.
func newTab(t *testing.T, width int64) *tab {
	t.Helper()
	browser := browserContext(t)
	var tb *tab
	select {
	case tb = <-idle:
	default:
		tb = openTab(t, browser)
	}
	limited, cancel := context.WithTimeout(tb.life, patience)
	tb.t, tb.ctx = t, limited
	t.Cleanup(func() {
		tb.giveBack(t)
		cancel()
	})
	tb.runScripts(true)
	tb.resize(width)
	tb.prefer("light")
	return tb
}

func openTab(t *testing.T, browser context.Context) *tab {
	t.Helper()
	life, closeTab := chromedp.NewContext(browser)
	tb := &tab{life: life, close: closeTab}
	require.NoError(t, chromedp.Listen(life, tb.note))
	_, err := chromedp.Call(life, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(life, log.Enable, cdp.Empty{})
	require.NoError(t, err)
	// Two tests have a tab each, and both press keys.
	_, err = chromedp.Call(life, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	require.NoError(t, err)
	return tb
}

// giveBack leaves the test's page, so that nothing in it goes on, and forgets
// its messages. A tab in which something failed is not lent again.
func (tb *tab) giveBack(t *testing.T) {
	err := chromedp.Do(tb.ctx, chromedp.Navigate("about:blank"))
	if err != nil || t.Failed() {
		tb.close()
		return
	}
	tb.mu.Lock()
	tb.console, tb.requests = nil, nil
	tb.mu.Unlock()
	select {
	case idle <- tb:
	default:
		tb.close()
	}
}

// note keeps console messages, exceptions and requests.
func (tb *tab) note(event any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		tb.console = append(tb.console, fmt.Sprint("console: ", e.Type, " ", len(e.Args), " values"))
	case *runtime.EventExceptionThrown:
		tb.console = append(tb.console, "exception: "+thrown(e.ExceptionDetails))
	case *log.EventEntryAdded:
		tb.console = append(tb.console, fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *network.EventRequestWillBeSent:
		tb.requests = append(tb.requests, e.Request.URL)
	}
}

// said returns the notes so far.
func (tb *tab) said() (console, requests []string) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return append([]string(nil), tb.console...), append([]string(nil), tb.requests...)
}

// resize gives the window another width, and waits until the page's scripts
// have heard of it: they hear before its next frame.
func (tb *tab) resize(width int64) {
	tb.t.Helper()
	tb.do(chromedp.EmulateViewport(width, 900))
	tb.frame()
	tb.width = width
}

// frame waits for the page's next frame.
func (tb *tab) frame() {
	tb.t.Helper()
	ask[bool](tb, `new Promise((drawn) => { requestAnimationFrame(() => drawn(true)) })`)
}

// runScripts says whether pages run their scripts. A test can ask either way.
func (tb *tab) runScripts(on bool) {
	tb.t.Helper()
	off := emulation.SetScriptExecutionDisabledParams{Value: !on}
	_, err := chromedp.Call(tb.ctx, emulation.SetScriptExecutionDisabled, off)
	require.NoError(tb.t, err)
}

// prefer sets the colour scheme that the system asks for, and asks for no motion,
// on a screen.
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

// print shows the page as on paper. What was folded on the screen counts as hidden
// until that has been drawn.
func (tb *tab) print() {
	tb.t.Helper()
	_, err := chromedp.Call(tb.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	require.NoError(tb.t, err)
	tb.frame()
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

// press types keys into the element that has the focus. A key's way down and
// the letter it writes are one event, as they are at a keyboard: if the page
// takes the key, nothing is written, not even into a field that has the focus
// by then.
func (tb *tab) press(keys string) {
	tb.t.Helper()
	for _, key := range keys {
		events := kb.Encode(key)
		if len(events) == 3 { // down, what it writes, up
			events[0].Text, events[0].UnmodifiedText = events[1].Text, events[1].UnmodifiedText
			events = slices.Delete(events, 1, 2)
		}
		for _, event := range events {
			_, err := chromedp.Call(tb.ctx, input.DispatchKeyEvent, *event)
			require.NoError(tb.t, err)
		}
	}
}

// keys that are pressed by name.
const (
	enter     = kb.Enter
	escape    = kb.Escape
	arrowDown = kb.ArrowDown
	tabKey    = kb.Tab
)

// wait returns when the expression has become true, on this page or on the
// next: when one page gives way to another, polling begins again.
func (tb *tab) wait(expression string) {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, patience/3)
	defer cancel()
	for {
		// By the clock, not by frames: a window behind another draws none.
		_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingInterval(50*time.Millisecond)))
		if err == nil {
			return
		}
		require.NoError(tb.t, ctx.Err(), "waiting for %s", expression)
	}
}

// ask evaluates an expression in the page, and waits if it is a promise.
func ask[T any](tb *tab, expression string) T {
	tb.t.Helper()
	value, err := chromedp.Run(tb.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(tb.t, err, "evaluating %.200s", expression)
	return value
}

// thrown says what an exception is, and where it was thrown if that is known.
func thrown(e *runtime.ExceptionDetails) string {
	if e.Exception == nil {
		return e.Text
	}
	return e.Text + " " + e.Exception.Description
}
