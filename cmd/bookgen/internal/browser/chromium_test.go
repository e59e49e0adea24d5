package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"reconcile/cmd/bookgen/internal/paper"
	"reconcile/internal/openexercises"
	"reconcile/internal/slow"
)

// chromium starts the browser that all tests share, once.
var chromium = sync.OnceValue(start)

type instance struct {
	ctx context.Context // of the browser; a tab's context derives from it
	err error
}

// workshop is the folder of this run: the browser's profile and the sample.
var workshop string

// ends holds the functions that end everything that was started for all tests.
var ends struct {
	sync.Mutex
	list []func()
}

// atTheEnd keeps a function until all tests have ended.
func atTheEnd(end func()) {
	ends.Lock()
	defer ends.Unlock()
	ends.list = append(ends.list, end)
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "reconcile-browser-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	workshop = dir
	code := openexercises.Run(m)
	for _, end := range ends.list {
		end()
	}
	// Files that are left in the temporary folder do no harm.
	_ = os.RemoveAll(workshop)
	os.Exit(code)
}

// executable returns the Chromium in PATH, or nothing. The one that is built to be
// driven lacks a window with tabs and settings, which take as long as the pages.
func executable() string {
	if path, err := exec.LookPath("chromium-headless-shell"); err == nil {
		return path
	}
	path, _ := paper.Browser()
	return path
}

// start runs Chromium with a profile of its own and no way to phone home. It
// keeps no page that was left: no test goes back to one, and a tab would need a
// new process for each.
func start() instance {
	path := executable()
	if path == "" {
		return instance{}
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(filepath.Join(workshop, "profile")), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,BackForwardCache"),
	)
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopBrowser := chromedp.NewContext(allocator)
	atTheEnd(stopBrowser)
	atTheEnd(stopAllocator)
	return instance{ctx: ctx, err: chromedp.Do(ctx)}
}

// browserContext returns the running browser. Without one it skips the test, or
// fails it if a browser is required.
func browserContext(t *testing.T) context.Context {
	t.Helper()
	slow.Test(t, "it drives a browser")
	if executable() == "" {
		missing := "no Chromium in PATH: install the package chromium (Debian: apt-get install chromium)"
		if os.Getenv("RECONCILE_BROWSER") == "required" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	running := chromium()
	if running.err != nil {
		t.Fatalf("Chromium does not start: %v", running.err)
	}
	return running.ctx
}
