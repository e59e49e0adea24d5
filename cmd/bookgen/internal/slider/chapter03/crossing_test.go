package chapter03

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

// labelled matches the text alternative, which a page has from its author.
var labelled = regexp.MustCompile(`aria-label="[^"]*"|<desc[^>]*>[^<]*</desc>`)

// The page's figures, where a reader has set their values.
func TestTheCrossingsOfThePageAreItsRecordings(t *testing.T) {
	for name, b := range map[string][2]string{
		"lanes-1-0": {"1", "0"}, "lanes-0-1": {"0", "1"}, "lanes-25-25": {"25%", "25%"}, "lanes-100-0": {"100%", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			values := fourWays.Defaults()
			values["surge"], values["unavailable"] = b[0], b[1]
			run, err := cross(t, values)
			require.NoError(t, err)
			drawn, err := json.MarshalIndent(run, "", "  ")
			require.NoError(t, err)
			recorded, err := os.ReadFile("../../../../../chapters/03-rolling-update/testdata/" + name + ".json")
			require.NoError(t, err)
			assert.Equal(t, string(bytes.TrimSpace(recorded)), string(drawn))

			html, err := fourWays.Draw(t, values)
			require.NoError(t, err)
			asOnThePage, err := figure.Render("lanes", recorded, "four-ways", "alt")
			require.NoError(t, err)
			assert.Equal(t, labelled.ReplaceAllString(asOnThePage, ""), labelled.ReplaceAllString(html, ""))
		})
	}
}

// Cross fails where a bound is broken: at any write.
func TestACrossingIsDrawnAtTheEndsOfItsRangesAndTheSameEachTime(t *testing.T) {
	for _, replicas := range []int{1, 3, 12} {
		for _, surge := range []string{"0", "1", "100%"} {
			for _, unavailable := range []string{"0", "4", "25%"} {
				if surge == "0" && unavailable == "0" {
					continue
				}
				for _, broken := range []string{"", "on"} {
					values := map[string]string{
						"surge": surge, "unavailable": unavailable, "replicas": strconv.Itoa(replicas), "broken": broken, "killed": "0",
					}
					require.NoError(t, fourWays.Check(values))
					first, err := fourWays.Draw(t, values)
					require.NoError(t, err, "%v", values)
					require.NotEmpty(t, first)
					if replicas == 3 {
						second, err := fourWays.Draw(t, values)
						require.NoError(t, err)
						require.Equal(t, first, second, "%v", values)
					}
				}
			}
		}
	}
}

func TestACrossingEndsUnlessItsImageIsBroken(t *testing.T) {
	values := fourWays.Defaults()
	run, err := cross(t, values)
	require.NoError(t, err)
	for _, pod := range run.Pods {
		assert.Equal(t, map[string]string{"v1": "gone", "v2": "ready"}[pod.Version], pod.Phases[len(pod.Phases)-1].Is)
	}
	for killed := 1; killed <= 60; killed++ {
		values["killed"] = strconv.Itoa(killed)
		again, err := cross(t, values) // fails where a bound is broken
		require.NoError(t, err)
		assert.Len(t, again.Pods, 8, "killed after write %d", killed)
		last := again.Counts[len(again.Counts)-1]
		assert.Equal(t, []int{4, 4}, []int{last.There, last.Available}, "killed after write %d", killed)
	}
	values["killed"], values["broken"] = "0", "on"
	run, err = cross(t, values)
	require.NoError(t, err)
	last := run.Counts[len(run.Counts)-1]
	assert.Equal(t, []int{5, 4}, []int{last.There, last.Available}, "the one that is broken keeps the others from going")
}

func TestBoundsThatLetNothingMoveAreRefusedInTheServersWords(t *testing.T) {
	values := fourWays.Defaults()
	values["surge"] = "0"
	_, err := fourWays.Draw(t, values)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "Deployment.apps \"web\" is invalid: spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0")
}
