package lab

import (
	"fmt"
	"os"
	"path/filepath"
)

// Kubeconfig returns the path of the file through which a lab's clients find
// it, unless its user names another. It is there while a lab runs.
func Kubeconfig() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the lab's kubeconfig: %w", err)
	}
	return filepath.Join(cache, "reconcile", "lab", "kubeconfig"), nil
}
