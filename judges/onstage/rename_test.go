package onstage_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// made matches what is made up while a scene is played, and so may differ: uids,
// the names of objects that have none of their own, addresses, ports of nodes, and
// versions. The names are first: what else is on their lines goes with them.
var made = []*regexp.Regexp{
	regexp.MustCompile(`\b[a-z0-9][a-z0-9.-]*-[bcdfghjklmnpqrstvwxz2456789]{5}\b`),
	regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`),
	regexp.MustCompile(`\b10\.\d+\.\d+\.\d+\b`),
	regexp.MustCompile(`\b3[0-2]\d{3}\b`),
	regexp.MustCompile(`(?:Resource Version: +|resourceVersion: ")\d+`),
}

// anything stands for what is made up, in a place.
const anything = "\x00"

// kindOf returns what two things that are made up must have in common: of a name,
// all but its end.
func kindOf(token string) string {
	if made[0].MatchString(token) {
		return token[:len(token)-len("abcde")]
	}
	return ""
}

// place is where something that is made up stands.
type place struct {
	in   string // a step, and a line without what is made up
	nth  int    // on that line
	kind string
}

// placesOf returns the places of all that a pattern matches, in the order in which
// it appears.
func placesOf(pattern *regexp.Regexp, lines []line) (tokens []string, places map[string][]place) {
	places = map[string][]place{}
	before := map[string]int{} // lines like it, where their order says something
	for _, l := range lines {
		bare := l.text
		for _, other := range made {
			bare = other.ReplaceAllString(bare, anything)
		}
		bare = l.step + bare
		if freedom(l) == "" {
			before[bare]++
			bare = fmt.Sprint(bare, before[bare])
		}
		for nth, token := range pattern.FindAllString(l.text, -1) {
			if len(places[token]) == 0 {
				tokens = append(tokens, token)
			}
			places[token] = append(places[token], place{bare, nth, kindOf(token)})
		}
	}
	return tokens, places
}

// pair is one thing on both sides, perhaps.
type pair struct {
	ours, theirs string
	alike        int // the number of places that they share
	at           int // where both first appear
}

// renamed returns the lines of theirs with what is made up named as in ours, one to
// one: what stands in the most of the same places is the same.
func renamed(ours, theirs []line) []line {
	for _, pattern := range made {
		names := pairs(pattern, ours, theirs)
		theirs = slices.Clone(theirs)
		for i := range theirs {
			theirs[i].text = pattern.ReplaceAllStringFunc(theirs[i].text, func(token string) string {
				return cmp.Or(names[token], token)
			})
		}
	}
	return theirs
}

// pairs returns ours for theirs.
func pairs(pattern *regexp.Regexp, ours, theirs []line) map[string]string {
	left, here := placesOf(pattern, ours)
	right, there := placesOf(pattern, theirs)
	var all []pair
	for i, a := range left {
		for j, b := range right {
			if n := alike(here[a], there[b]); n > 0 {
				all = append(all, pair{a, b, n, i + j})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b pair) int {
		return cmp.Or(b.alike-a.alike, a.at-b.at, strings.Compare(a.ours, b.ours))
	})
	names, taken := map[string]string{}, map[string]bool{}
	for _, p := range all {
		if names[p.theirs] == "" && !taken[p.ours] {
			names[p.theirs], taken[p.ours] = p.ours, true
		}
	}
	return names
}

// alike returns how many places two have in common.
func alike(a, b []place) (n int) {
	count := map[place]int{}
	for _, p := range a {
		count[p]++
	}
	for _, p := range b {
		if count[p] > 0 {
			count[p]--
			n++
		}
	}
	return n
}
