package exercise

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A variant is a chapter with other text in some files: by absolute path. The
// empty one is the chapter itself.
type variant map[string][]byte

// build compiles the chapter's tests to a binary. The go tool takes the
// variant's files for those on disk, which stay as they are.
func (v variant) build(ctx context.Context, dir, binary string) (output []byte, err error) {
	overlay, err := v.writeOverlay(filepath.Dir(binary))
	if err != nil {
		return []byte(err.Error()), err
	}
	command := exec.CommandContext(ctx, "go", "test", "-c", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, ".")
	command.Dir = dir
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // it tidies up
	command.WaitDelay = 2 * time.Second
	return command.CombinedOutput()
}

// writeOverlay writes the variant's files and the list that -overlay wants.
func (v variant) writeOverlay(scratch string) (string, error) {
	replace := make(map[string]string)
	for path, text := range v {
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
