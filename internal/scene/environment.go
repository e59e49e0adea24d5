package scene

import (
	"errors"
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

// prepare makes this process's environment that of the scene's: output must not
// depend on the machine, or on its user. Commands run in a new folder, with a
// copy of the chapter's manifests.
func prepare(t *testing.T, chapter string) error {
	t.Helper()
	leaveTheBubbleAlone()
	for name, value := range map[string]string{
		"HOME": t.TempDir(), "KUBECONFIG": "", "KUBERC": "off",
		"PATH": "", "LC_ALL": "C", "TERM": "dumb",
	} {
		t.Setenv(name, value)
	}
	time.Local = time.UTC
	folder := t.TempDir()
	t.Chdir(folder)
	manifests := filepath.Join(chapter, "manifests")
	if _, err := os.Stat(manifests); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return os.CopyFS(filepath.Join(folder, "manifests"), os.DirFS(manifests))
}

// leaveTheBubbleAlone sees to what the process does once: the first call that asks for
// signals starts a goroutine that never ends, so it must not be made in a bubble.
var leaveTheBubbleAlone = sync.OnceFunc(func() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
})
