package trial

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

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
