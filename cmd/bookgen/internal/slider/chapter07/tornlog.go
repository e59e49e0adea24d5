// Package chapter07 has the sliders of chapter 7.
package chapter07

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"reconcile/cmd/bookgen/internal/slider"
	"reconcile/internal/whatif/tornlog"
)

// Sliders are those of the chapter.
var Sliders = []slider.Slider{tornLog}

// tornLog cuts a slave's log, and starts the slave.
var tornLog = slider.Slider{
	Name: "torn-log",
	Inputs: []slider.Input{{
		Name: "cut", Label: "the log is cut after byte", Kind: "range",
		Max: tornlog.Bytes, Default: strconv.Itoa(tornlog.Recorded),
	}},
	Draw: func(t *testing.T, values map[string]string) (string, error) {
		bytes, err := strconv.Atoi(values["cut"])
		if err != nil {
			return "", err
		}
		log, err := tornlog.Cut(t, bytes)
		if err != nil {
			return "", err
		}
		return slider.Figure("log", "torn-log", log, says(log))
	},
}

// says says what a start on a log found.
func says(log *tornlog.Log) string {
	all := []string{fmt.Sprintf("Of %d bytes %d are left, and %d are kept.", log.Bytes, log.Cut, log.Kept)}
	for _, f := range log.Finds {
		all = append(all, f.What+": "+f.Is+".")
	}
	return strings.Join(all, " ")
}
