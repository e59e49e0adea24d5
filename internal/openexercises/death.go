package openexercises

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// killed returns a sentence on what killed a process, and where.
func killed(death []string) string {
	what := "it ended the process"
	if len(death) > 0 {
		what = strings.TrimPrefix(death[0], "panic: ")
		what, _, _ = strings.Cut(what, " [recovered")
	}
	sentence := "died of: " + what
	for _, s := range stacks(death) {
		if len(s.places) > 0 {
			return sentence + "\nin " + strings.Join(s.places, ", called by ")
		}
	}
	return sentence
}

// endless returns a sentence on where a test was that came to no end.
func endless(limit string, death []string) string {
	sentence := fmt.Sprintf("does not come to an end: it was given up after %s. A loop that never leaves, or a lock that nobody gives back?", limit)
	said := 0
	for _, s := range stacks(death) {
		if len(s.places) > 0 && said < deepest && !strings.HasPrefix(s.state, "chan receive") { // as tests do that wait for others
			sentence += fmt.Sprintf("\n%s: %s", s.state, s.places[0])
			said++
		}
	}
	return sentence
}

// A stack is a goroutine's, as the runtime prints it: what it does, and the
// places in the book where it does it, innermost first.
type stack struct {
	state  string
	places []string
}

var (
	goroutine = regexp.MustCompile(`^goroutine \d+ .*?\[([^\]]*)\]:$`)
	place     = regexp.MustCompile(`^\t(.+\.go):(\d+)`)
)

const deepest = 4 // places or stacks that say enough

func stacks(death []string) []stack {
	here, err := os.Getwd()
	if err != nil {
		return nil
	}
	var all []stack
	for _, line := range death {
		if match := goroutine.FindStringSubmatch(line); match != nil {
			all = append(all, stack{state: match[1]})
			continue
		}
		match := place.FindStringSubmatch(line)
		if match == nil || len(all) == 0 {
			continue
		}
		last := &all[len(all)-1]
		file, err := filepath.Rel(here, inBook(here, match[1]))
		if err == nil && filepath.IsLocal(file) && len(last.places) < deepest {
			last.places = append(last.places, file+":"+match[2])
		}
	}
	return all
}

// inBook returns where a file is: a page's packages are compiled with -trimpath, by
// which its path begins with the module's.
func inBook(here, file string) string {
	root, _, _ := strings.Cut(here, "/chapters/")
	if rest, trimmed := strings.CutPrefix(file, "reconcile/"); trimmed {
		return filepath.Join(root, rest)
	}
	return file
}
