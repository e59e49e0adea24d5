package trial

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	// kinds are words that are written as they are, also in a sentence.
	kinds = regexp.MustCompile(`^(?:DeltaFIFO|ReplicaSets?|ReplicationControllers?|EndpointSlices?|StatefulSets?|` +
		`DaemonSets?|Deployments?|Services?|Pods?|Kubernetes)$`)
	acronym = regexp.MustCompile(`^[A-Z]{2,}s?$`)
	word    = regexp.MustCompile(`^[A-Z]?[^A-Z]*`)
)

// Words returns the claim in a test's name: TestQueueHandsOutAKeyOnce says
// "Queue hands out a key once".
func Words(name string) string {
	var words []string
	for rest := strings.TrimPrefix(name, "Test"); rest != ""; {
		next := nextWord(rest)
		rest = rest[len(next):]
		if !kinds.MatchString(next) && !acronym.MatchString(next) {
			next = strings.ToLower(next)
		}
		words = append(words, next)
	}
	text := []rune(strings.Join(words, " "))
	if len(text) > 0 {
		text[0] = unicode.ToUpper(text[0])
	}
	return string(text)
}

// nextWord returns the longest beginning that is a name, an acronym, or else a
// word: it ends before the next one's capital, or at the end.
func nextWord(text string) string {
	for end := len(text); end > 1; end-- {
		ends := end == len(text) || unicode.IsUpper(rune(text[end]))
		goesOn := end+1 < len(text) && unicode.IsLower(rune(text[end+1])) || end == len(text) || text[end-1] == 's'
		if ends && (kinds.MatchString(text[:end]) || goesOn && acronym.MatchString(text[:end])) {
			return text[:end]
		}
	}
	return word.FindString(text)
}
