package exercise

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"reconcile/internal/exercise/cut"
)

// A variant is a chapter with other declarations in some files: by absolute
// path. The empty one is the chapter itself.
type variant map[string]edit

// An edit is a file with other declarations of these names.
type edit struct {
	before, after []byte
	declarations  []string
}

// texts are the variant's files, for an overlay.
func (v variant) texts() map[string][]byte {
	texts := make(map[string][]byte)
	for path, edit := range v {
		texts[path] = edit.after
	}
	return texts
}

// joins tells whether the variant can stand beside others in one binary: it
// has other functions, of the same signatures, and nothing else.
func (v variant) joins() bool {
	for _, edit := range v {
		if !cut.Interchangeable(edit.before, edit.after, edit.declarations) {
			return false
		}
	}
	return true
}

// compile builds the tests of the chapter in dir to a binary. The go tool takes
// other texts for files on disk, which stay as they are, or need not be there.
func compile(ctx context.Context, dir, binary string, texts map[string][]byte) (output []byte, err error) {
	overlay, err := writeOverlay(filepath.Dir(binary), texts)
	if err != nil {
		return []byte(err.Error()), err
	}
	command := exec.CommandContext(ctx, "go", "test", "-c", "-ldflags=-s -w", "-gcflags=-e", "-overlay", overlay, "-o", binary, ".")
	command.Dir = dir
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // it tidies up
	command.WaitDelay = 2 * time.Second
	return command.CombinedOutput()
}

// writeOverlay writes texts and the list of them that -overlay wants.
func writeOverlay(scratch string, texts map[string][]byte) (string, error) {
	replace := make(map[string]string)
	for path, text := range texts {
		replace[path] = filepath.Join(scratch, fmt.Sprintf("%d-%s", len(replace), filepath.Base(path)))
		if err := os.WriteFile(replace[path], text, 0o644); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(scratch, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o644)
}
