package scene

import (
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// start is when every scene begins. It lies in the past, so that what kubectl
// has cached on disk is never too old for it.
var start = time.Date(2025, time.June, 2, 9, 0, 0, 0, time.UTC)

// prepare makes this process's environment that of the scene's: nothing of the
// machine, or of who uses it, shall be seen. It returns the folder in which
// the commands run, with a copy of the chapter's manifests.
func prepare(t *testing.T, chapter string) string {
	t.Helper()
	listenToSignals()
	for name, value := range map[string]string{
		"HOME": t.TempDir(), "KUBECONFIG": "", "KUBERC": "off",
		"PATH": "", "LC_ALL": "C", "TERM": "dumb",
	} {
		t.Setenv(name, value)
	}
	time.Local = time.UTC
	folder := t.TempDir()
	manifests := filepath.Join(chapter, "manifests")
	if _, err := os.Stat(manifests); err == nil {
		if err := os.CopyFS(filepath.Join(folder, "manifests"), os.DirFS(manifests)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	return folder
}

// listenToSignals has the goroutine started that serves os/signal: the first
// who asks starts it, and it must not be somebody in a bubble.
var listenToSignals = sync.OnceFunc(func() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
})
