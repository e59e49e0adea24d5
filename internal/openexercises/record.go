package openexercises

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// A Record is what a cluster of a test recorded while LookEnv was set.
type Record struct {
	Test    string // "TestSync/two_Pods"
	Cluster int    // counts the clusters of this test from 1
}

// File returns the name of the file that has it.
func (r Record) File() string { return fmt.Sprintf("%s.%d.json", url.QueryEscape(r.Test), r.Cluster) }

// RecordOf returns the record that a file of this name has; ok is false if it has none.
func RecordOf(file string) (r Record, ok bool) {
	name, isJSON := strings.CutSuffix(file, ".json")
	at := strings.LastIndex(name, ".")
	if !isJSON || at < 0 {
		return r, false
	}
	test, err := url.QueryUnescape(name[:at])
	number, wrong := strconv.Atoi(name[at+1:])
	return Record{test, number}, err == nil && wrong == nil
}
