package paper

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// A press is a Chromium that prints, and the folder that it prints from.
// (WeasyPrint knows page numbers, but neither the site's style sheet nor tags.)
type press struct {
	ctx    context.Context
	folder string
	stop   func()
}

// Browser returns the Chromium to print with, or an error that says how to get one.
func Browser() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("a PDF is printed by Chromium, and there is none in PATH: install it (Debian: apt-get install chromium)")
}

// start starts Chromium with a profile of its own. The caller closes it.
func start(ctx context.Context) (*press, error) {
	browser, err := Browser()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "reconcile-paper-")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browser), chromedp.UserDataDir(filepath.Join(folder, "profile")), chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
	)
	if os.Geteuid() == 0 { // Chromium has no sandbox for root
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stopAllocator := chromedp.NewExecAllocator(ctx, options...)
	ctx, stopBrowser := chromedp.NewContext(ctx)
	p := &press{ctx, folder, func() { stopBrowser(); stopAllocator() }}
	if err := chromedp.Do(ctx); err != nil {
		p.Close()
		return nil, fmt.Errorf("start %s: %w", browser, err)
	}
	return p, nil
}

// Close ends the browser and removes its folder.
func (p *press) Close() {
	p.stop()
	_ = os.RemoveAll(p.folder) // what is left in the temporary folder does no harm
}

// put gives the document the files that it needs.
func (p *press) put(files map[string][]byte) error {
	for name, content := range files {
		at := filepath.Join(p.folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(at, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// open shows a document in the browser, with its fonts.
func (p *press) open(document []byte) error {
	if err := p.put(map[string][]byte{"document.html": document}); err != nil {
		return err
	}
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(p.folder, "document.html"))}
	err := chromedp.Do(p.ctx, chromedp.Navigate(address.String()))
	if err == nil {
		_, err = chromedp.Run(p.ctx, chromedp.Evaluate[bool]("document.fonts.ready.then(() => true)", chromedp.EvalAwaitPromise))
	}
	return err
}

// print returns the document as a PDF, tagged and with bookmarks.
func (p *press) print(document []byte) ([]byte, error) {
	err := p.open(document)
	var pdf []byte
	if err == nil {
		pdf, err = chromedp.Run(p.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize(),
			chromedp.PDFPrintBackground(), chromedp.PDFOutlineAndTagged(), chromedp.PDFStream()))
	}
	if err != nil {
		return nil, fmt.Errorf("print the book: %w", err)
	}
	return settled(pdf), nil
}
