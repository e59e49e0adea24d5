package highlight

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// standsAlone reports whether there is a workspace above the book that does not
// use it. Go would look for the book's packages there, and find none.
func standsAlone(ctx context.Context, root string) (bool, error) {
	command := exec.CommandContext(ctx, "go", "env", "GOWORK")
	command.Dir = root
	answer, err := output(command)
	if err != nil {
		return false, fmt.Errorf("go env: %w", err)
	}
	file := strings.TrimSpace(string(answer))
	if file == "" || file == "off" {
		return false, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	work, err := modfile.ParseWork(file, content, nil)
	if err != nil {
		return false, err
	}
	book, err := os.Stat(root)
	if err != nil {
		return false, err
	}
	for _, use := range work.Use {
		dir := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(file), dir)
		}
		if used, err := os.Stat(dir); err == nil && os.SameFile(used, book) {
			return false, nil
		}
	}
	return true, nil
}
