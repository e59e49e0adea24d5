// Package mysqlcluster has the slider of chapter 7: a slave's log that is cut.
package mysqlcluster

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"reconcile/cmd/bookgen/internal/figure"
	"reconcile/cmd/bookgen/internal/slider"
	"reconcile/internal/whatif/tornlog"
)

var cut = slider.Input{
	Name: "cut", Label: "the log is cut after byte", Kind: slider.Range,
	Min: 0, Max: tornlog.Bytes, Step: 1, Default: strconv.Itoa(tornlog.Recorded),
}

// TornLog cuts a slave's log, and starts the slave.
var TornLog = slider.Slider{Name: "torn-log", Inputs: []slider.Input{cut}, Draw: drawLog}

func drawLog(t *testing.T, values map[string]string) (string, error) {
	bytes, err := cut.Number(values)
	if err != nil {
		return "", err
	}
	log, err := tornlog.Cut(t, bytes)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(log)
	if err != nil {
		return "", err
	}
	drawn, err := figure.Render("log", data, "slider-torn-log", says(log))
	return string(drawn), err
}

// says says what a start on a log found.
func says(log *tornlog.Log) string {
	all := []string{fmt.Sprintf("Of %d bytes %d are left, and %d are kept.", log.Bytes, log.Cut, log.Kept)}
	for _, f := range log.Finds {
		all = append(all, f.What+": "+f.Is+".")
	}
	return strings.Join(all, " ")
}
