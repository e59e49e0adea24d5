package scene_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"reconcile/internal/look/why"
	"reconcile/internal/scene"
	"reconcile/internal/script"
)

func TestBrk(t *testing.T) {
	content, err := os.ReadFile(os.Getenv("BRK"))
	if err != nil {
		t.Skip()
	}
	dir, _ := filepath.Abs("testdata/waits")
	for _, state := range strings.Split(string(content), "=== ")[1:] {
		head, text, _ := strings.Cut(state, "\n")
		t.Run(head, func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("PANIC %v", r)
				}
			}()
			// steps are separated by one empty line
			var out []string
			for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
				l = strings.TrimSpace(l)
				if l == "" {
					continue
				}
				if strings.HasPrefix(l, "# ") {
					out = append(out, l)
				} else {
					out = append(out, l, "")
				}
			}
			s, err := script.Parse(head, []byte(strings.TrimRight(strings.Join(out, "\n"), "\n")+"\n"))
			if err != nil {
				t.Error(err)
				fmt.Printf("##### %s\nPARSE %v\n", head, err)
				return
			}
			played, err := scene.Play(t, s, dir, cache)
			if err != nil {
				t.Error(err)
			}
			fmt.Printf("##### %s\n%s\n", head, strings.ReplaceAll(string(played.Text), "\n\n", "\n"))
			if err != nil {
				fmt.Println("ERR", err)
			}
			var names []string
			for n := range played.Waits {
				names = append(names, n)
			}
			sort.Strings(names)
			for _, n := range names {
				notes := played.Waits[n]
				c := notes[len(notes)-1].Chain
				if c.Reason != why.Nothing && os.Getenv("ALL") != "" {
					fmt.Printf("   ALL %s: %s | %s | %s\n", n, c.Reason, c.Links[len(c.Links)-1], c.Remedy)
				}
			}
		})
	}
}
