package browser

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// chromium starts the browser that all tests share, once.
var chromium = sync.OnceValue(start)

type instance struct {
	ctx  context.Context // of the browser; a tab's context derives from it
	stop func()
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if stop := chromium().stop; stop != nil {
		stop()
	}
	os.Exit(code)
}

// executable returns the first Chromium in PATH, or nothing.
func executable() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// start runs Chromium with a profile of its own and no way to phone home.
func start() instance {
	path := executable()
	if path == "" {
		return instance{}
	}
	profile, err := os.MkdirTemp("", "reconcile-browser-")
	if err != nil {
		return instance{err: err}
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
	)
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopBrowser := chromedp.NewContext(allocator)
	stop := func() {
		stopBrowser()
		stopAllocator()
		// What is left of a profile in the temporary folder harms nobody.
		_ = os.RemoveAll(profile)
	}
	return instance{ctx: ctx, stop: stop, err: chromedp.Do(ctx)}
}

// browserContext returns the running browser. Without one it skips the test,
// or fails it where a browser is required.
func browserContext(t *testing.T) context.Context {
	t.Helper()
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
