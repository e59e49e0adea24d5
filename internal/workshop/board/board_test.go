package board_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/workspace"
	"reconcile/internal/workshop/board"
)

var nine = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

// after returns the time so many minutes after nine.
func after(minutes int) time.Time { return nine.Add(time.Duration(minutes) * time.Minute) }

// participant returns the i-th report of a class at half past nine: a third has
// passed 1.1 and is at 1.2, a third fails a test of 1.1 with a known wrong
// answer, a third has not tested yet.
func participant(i int) board.Report {
	r := board.Report{ID: fmt.Sprintf("id%02d", i), Name: fmt.Sprintf("p%02d", i), Sent: after(30)}
	first := board.Line{Number: "1.1", Started: after(1)}
	switch i % 3 {
	case 0:
		first.Passed, first.Tested, first.Attempts, first.Minutes = true, after(10+i), 3, float64(9+i)
		r.Exercises = []board.Line{first, {Number: "1.2", Started: after(29)}}
		return r
	case 1:
		first.Tested, first.Attempts, first.Hints = after(28), 4, 1
		first.Failing, first.LooksLike = []string{"TestPlanRemovesTheLeastUseful"}, []string{"First come, first gone"}
	}
	r.Exercises = []board.Line{first}
	return r
}

func post(t *testing.T, url, token string, r any) int {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	request, err := http.NewRequest(http.MethodPost, url+"/report", bytes.NewReader(text))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	answer.Body.Close()
	return answer.StatusCode
}

func TestThirtyParticipantsReportAtOnce(t *testing.T) {
	b := board.New("a-token-of-some-length", func() time.Time { return after(31) })
	server := httptest.NewServer(b)
	defer server.Close()
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			assert.Equal(t, http.StatusNoContent, post(t, server.URL, "a-token-of-some-length", participant(i)))
		})
	}
	all.Wait()
	class := b.Look()
	require.Len(t, class.People, 30)
	require.Len(t, class.Exercises, 2)
	first := class.Exercises[0]
	assert.Equal(t, []int{30, 10, 10}, []int{first.Started, first.Passed, first.Hints})
	assert.Equal(t, []board.Count{{What: "TestPlanRemovesTheLeastUseful", Many: 10}}, first.StoppedBy)
	assert.Equal(t, []board.Count{{What: "First come, first gone", Many: 10}}, first.LooksLike)
	assert.Equal(t, 30, class.People[0].Idle, "who began at 9:01 and has not tested since")
	assert.Zero(t, class.People[29].Idle)
}

func TestWhoHoldsUpARedFlagComesFirst(t *testing.T) {
	b := board.New("", func() time.Time { return after(31) })
	for i := range 6 {
		b.Take(participant(i))
	}
	calls := participant(3)
	calls.Flag, calls.Sent = board.Red, after(31)
	b.Take(calls)
	b.Take(participant(3)) // an older one, that was slow
	people := b.Look().People
	assert.Equal(t, []string{"p03", "p02", "p05"}, []string{people[0].Name, people[1].Name, people[2].Name})
	assert.Equal(t, board.Red, people[0].Flag)

	done := participant(2)
	done.Flag, done.Sent = board.Green, after(31)
	b.Take(done)
	people = b.Look().People
	assert.Equal(t, "p05", people[1].Name, "who says that they are done is not idle")
}

func TestTheBoardIsAPageAndAText(t *testing.T) {
	b := board.New("sesame-sesame-sesame", func() time.Time { return after(31) })
	server := httptest.NewServer(b)
	defer server.Close()
	get := func(path string) (int, string) {
		answer, err := http.Get(server.URL + path)
		require.NoError(t, err)
		defer answer.Body.Close()
		var text strings.Builder
		_, err = fmt.Fprint(&text, readAll(t, answer))
		require.NoError(t, err)
		return answer.StatusCode, text.String()
	}
	code, _ := get("/")
	assert.Equal(t, http.StatusUnauthorized, code)
	_, page := get("/?token=sesame-sesame-sesame")
	assert.Contains(t, page, "Nobody has reported yet")
	evil := participant(1)
	evil.Name = "<script>alert(1)</script>"
	b.Take(evil)
	_, page = get("/?token=sesame-sesame-sesame")
	assert.Contains(t, page, "1 × <code>TestPlanRemovesTheLeastUseful</code>")
	assert.NotContains(t, page, "<script>")
	_, text := get("/text?token=sesame-sesame-sesame")
	assert.Contains(t, text, "1.1        1         0        1       TestPlanRemovesTheLeastUseful 1   First come, first gone 1\n")
}

func readAll(t *testing.T, answer *http.Response) string {
	t.Helper()
	var text bytes.Buffer
	_, err := text.ReadFrom(answer.Body)
	require.NoError(t, err)
	return text.String()
}

func TestWhatIsNoReportIsRefused(t *testing.T) {
	server := httptest.NewServer(board.New("", time.Now))
	defer server.Close()
	for _, report := range []any{
		"hello", map[string]any{"id": ""}, map[string]any{"id": "x", "code": "func main() {}"},
		map[string]any{"id": "x", "flag": "purple"},
	} {
		assert.Equal(t, http.StatusBadRequest, post(t, server.URL, "", report), "%v", report)
	}
}

func TestAReportHasNoCodeAndNoNameThatWasNotGiven(t *testing.T) {
	lines := []workspace.Line{
		{Exercise: &exercise.Exercise{Number: "1.2"}},
		{Exercise: &exercise.Exercise{Number: "1.1"}, Record: workspace.Record{
			Started: nine, Ended: after(22), Tested: after(22), Passed: true, Attempts: 3, Hints: 1,
			Files: []string{"/home/ada/book/plan.go"}, Stubs: map[string]string{"f": "digest"},
		}},
	}
	text, err := json.Marshal(board.Of("id", "", board.None, lines, after(30)))
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"id","sent":"2026-11-23T09:30:00Z","exercises":[
		{"number":"1.1","started":"2026-11-23T09:00:00Z","tested":"2026-11-23T09:22:00Z","passed":true,
		 "minutes":22,"attempts":3,"hints":1}]}`, string(text))
}

func TestTimingsAreMediansOfThoseWhoPassedByThemselves(t *testing.T) {
	var reports []board.Report
	for _, minutes := range []float64{10, 20, 30, 40, 40} {
		reports = append(reports, board.Report{Exercises: []board.Line{
			{Number: "1.1", Passed: true, Minutes: minutes},
			{Number: "1.10", Passed: true, Peeked: true, Minutes: 1},
		}})
	}
	timings := board.Timings(reports, map[string]int{"1.1": 15})
	assert.Equal(t, []board.Timing{{Number: "1.1", Book: 15, Median: 30, P80: 40, People: 5}}, timings)
}
