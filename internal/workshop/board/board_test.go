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
// passed 1b and is at 1c, a third fails a test of 1b with a known wrong
// answer, a third has not tested yet.
func participant(i int) board.Report {
	r := board.Report{ID: fmt.Sprintf("id%02d", i), Name: fmt.Sprintf("p%02d", i), Sent: after(30)}
	first := board.Line{Number: "1b", Started: after(1)}
	switch i % 3 {
	case 0:
		first.Passed, first.Tested, first.Attempts, first.Minutes = true, after(10+i), 3, float64(9+i)
		r.Exercises = []board.Line{first, {Number: "1c", Started: after(29)}}
		return r
	case 1:
		first.Tested, first.Attempts, first.Hints = after(28), 4, 1
		first.Failing, first.LooksLike = []string{"TestPlanRemovesTheLeastUseful"}, []string{"First come, first gone"}
	}
	r.Exercises = []board.Line{first}
	return r
}

// The tokens of a board.
const toSend, toRead = "a-token-of-some-length", "another-of-some-length"

// newBoard returns one of a book of two exercises.
func newBoard(now time.Time) *board.Board {
	return board.New(board.Options{
		Send: toSend, Read: toRead, Exercises: []string{"1b", "1c"},
		Now: func() time.Time { return now },
	})
}

func post(t *testing.T, url, token string, r any) int {
	t.Helper()
	code, _ := answerTo(t, url, token, r)
	return code
}

func answerTo(t *testing.T, url, token string, r any) (int, string) {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	request, err := http.NewRequest(http.MethodPost, url+"/report", bytes.NewReader(text))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	return answer.StatusCode, readAll(t, answer)
}

func TestThirtyParticipantsReportAtOnce(t *testing.T) {
	b := newBoard(after(31))
	server := httptest.NewServer(b)
	defer server.Close()
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			assert.Equal(t, http.StatusNoContent, post(t, server.URL, toSend, participant(i)))
		})
	}
	all.Wait()
	class := b.Class()
	require.Len(t, class.People, 30)
	require.Len(t, class.Exercises, 2)
	first := class.Exercises[0]
	assert.Equal(t, []int{30, 10, 10}, []int{first.Started, first.Passed, first.Hints})
	assert.Equal(t, []board.Count{{What: "TestPlanRemovesTheLeastUseful", Many: 10}}, first.StoppedBy)
	assert.Equal(t, []board.Count{{What: "First come, first gone", Many: 10}}, first.LooksLike)
	assert.Equal(t, 29, class.People[0].Idle, "who began at 9:01 and has not tested since")
	assert.Zero(t, class.People[29].Idle)
}

// A laptop's clock may be ahead, and be set right: what came last counts.
func TestReportsAreInTheOrderOfTheirArrival(t *testing.T) {
	b := newBoard(after(31))
	ahead := participant(3)
	ahead.Sent = after(100_000)
	b.AddReport(ahead)
	calls := participant(3)
	calls.Flag = board.Red
	b.AddReport(calls)
	assert.Equal(t, board.Red, b.Class().People[0].Flag)
}

// Idle is how long nothing has happened by the participant's clock, and how long ago
// it said so by the board's.
func TestAClockThatIsWrongMakesNobodyIdle(t *testing.T) {
	now := after(0)
	b := board.New(board.Options{Now: func() time.Time { return now }})
	b.AddReport(board.Report{ID: "behind", Sent: after(-500), Exercises: []board.Line{{Number: "1b", Started: after(-505)}}})
	now = after(4)
	assert.Zero(t, b.Class().People[0].Idle)
	now = after(6)
	assert.Equal(t, 11, b.Class().People[0].Idle)
}

func TestWhoHoldsUpARedFlagComesFirst(t *testing.T) {
	b := newBoard(after(31))
	for i := range 6 {
		b.AddReport(participant(i))
	}
	calls := participant(3)
	calls.Flag, calls.Sent = board.Red, after(31)
	b.AddReport(calls)
	people := b.Class().People
	assert.Equal(t, []string{"p03", "p02", "p05"}, []string{people[0].Name, people[1].Name, people[2].Name})
	assert.Equal(t, board.Red, people[0].Flag)

	done := participant(2)
	done.Flag, done.Sent = board.Green, after(31)
	b.AddReport(done)
	people = b.Class().People
	assert.Equal(t, "p05", people[1].Name, "who says that they are done is not idle")
}

// ask gets a path with a header, and follows no redirection.
func ask(t *testing.T, server *httptest.Server, path string, header http.Header) *http.Response {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, server.URL+path, nil)
	require.NoError(t, err)
	request.Header = header
	answer, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

func TestTheTokenOfParticipantsOpensNoBoard(t *testing.T) {
	server := httptest.NewServer(newBoard(after(31)))
	defer server.Close()
	for _, path := range []string{"/", "/text", "/report", "/?token=", "/?token=" + toSend, "/text?token=" + toSend} {
		for _, header := range []http.Header{{}, bearer(toSend), {"Cookie": {"reconcile-board=" + toSend}}} {
			assert.Equal(t, http.StatusUnauthorized, ask(t, server, path, header).StatusCode, "%s %v", path, header)
		}
	}
	for _, token := range []string{"", toRead, toSend[1:]} {
		assert.Equal(t, http.StatusUnauthorized, post(t, server.URL, token, participant(1)), token)
	}
}

func TestABoardWithoutATokenTakesNothingFromPages(t *testing.T) {
	b := board.New(board.Options{Now: time.Now})
	assert.Empty(t, b.Open())
	server := httptest.NewServer(b)
	defer server.Close()
	request, err := http.NewRequest(http.MethodOptions, server.URL+"/report", nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	assert.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode)
	assert.Empty(t, answer.Header.Get("Access-Control-Allow-Origin"))
}

func TestTheBoardIsAPageAndAText(t *testing.T) {
	b := newBoard(after(31))
	server := httptest.NewServer(b)
	defer server.Close()
	opened := ask(t, server, "/?token="+toRead, http.Header{})
	assert.Equal(t, http.StatusSeeOther, opened.StatusCode)
	assert.Equal(t, "/", opened.Header.Get("Location"), "no token for the projector")
	require.Len(t, opened.Cookies(), 1)
	cookie := opened.Cookies()[0]
	assert.True(t, cookie.HttpOnly)
	page := func() string {
		return readAll(t, ask(t, server, "/", http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}}))
	}
	assert.Contains(t, page(), "Nobody has reported yet")
	evil := participant(1)
	evil.Name = "<script>alert(1)</script>"
	b.AddReport(evil)
	assert.Contains(t, page(), "1 × <code>TestPlanRemovesTheLeastUseful</code>")
	assert.NotContains(t, page(), "<script>")
	assert.Contains(t, readAll(t, ask(t, server, "/text", bearer(toRead))),
		"1b         1         0        1       TestPlanRemovesTheLeastUseful 1   First come, first gone 1\n")
}

func TestTheTwoHundredAndFirstIsToldAndSoIsTheInstructor(t *testing.T) {
	b := newBoard(after(31))
	server := httptest.NewServer(b)
	defer server.Close()
	for i := range 200 {
		require.True(t, b.AddReport(participant(i)))
	}
	assert.NotContains(t, readAll(t, ask(t, server, "/text", bearer(toRead))), "full")
	assert.Equal(t, http.StatusServiceUnavailable, post(t, server.URL, toSend, participant(200)))
	assert.Equal(t, http.StatusNoContent, post(t, server.URL, toSend, participant(7)), "who is on it stays on it")
	const said = "the board is full: it has room for 200 participants, and has refused 1 reports of others"
	for _, path := range []string{"/", "/text"} {
		assert.Contains(t, readAll(t, ask(t, server, path, bearer(toRead))), said)
	}
	assert.Len(t, b.Class().People, 200)
}

func TestAFullBoardGivesTheSeatAwayThatHasBeenSilentForAnHour(t *testing.T) {
	now := after(0)
	b := board.New(board.Options{Now: func() time.Time { return now }})
	for i := range 200 {
		require.True(t, b.AddReport(participant(i)))
	}
	now = after(10)
	for i := range 200 {
		if i != 17 && i != 23 {
			require.True(t, b.AddReport(participant(i)))
		}
	}
	now = after(20)
	require.True(t, b.AddReport(participant(23)))
	now = after(59)
	assert.False(t, b.AddReport(participant(200)), "nobody is silent for that long")
	now = after(60)
	assert.True(t, b.AddReport(participant(200)))
	assert.False(t, b.AddReport(participant(201)), "the next have been silent for 50 minutes")
	names := map[string]bool{}
	for _, p := range b.Class().People {
		names[p.Name] = true
	}
	assert.Len(t, names, 200)
	assert.False(t, names["p17"])
	assert.True(t, names["p23"] && names["p200"])
}

// press does what a button of the page does.
func press(t *testing.T, server *httptest.Server, button string, header http.Header) *http.Response {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, server.URL+"/empty", strings.NewReader(button))
	require.NoError(t, err)
	request.Header = header.Clone()
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func TestTheInstructorEmptiesSeats(t *testing.T) {
	b := newBoard(after(31))
	server := httptest.NewServer(b)
	defer server.Close()
	for i := range 200 {
		require.True(t, b.AddReport(participant(i)))
	}
	for i := range 3 {
		require.True(t, b.AddReport(participant(i)))
	}
	require.False(t, b.AddReport(participant(200)))
	cookie := http.Header{"Cookie": {"reconcile-board=" + toRead}}
	page := readAll(t, ask(t, server, "/", cookie))
	assert.Contains(t, page, `<button name="id" value="id02" aria-label="Empty the seat of p02">`)
	assert.Contains(t, page, "Empty the seats of the 197 who have reported only once")

	pressed := press(t, server, "id=id02", cookie)
	assert.Equal(t, http.StatusSeeOther, pressed.StatusCode)
	assert.Equal(t, "/", pressed.Header.Get("Location"))
	assert.Len(t, b.Class().People, 199)
	assert.Empty(t, b.Class().Refused, "there is room")
	assert.True(t, b.AddReport(participant(200)))

	assert.Equal(t, http.StatusSeeOther, press(t, server, "once=yes", bearer(toRead)).StatusCode)
	people := b.Class().People
	require.Len(t, people, 2)
	assert.ElementsMatch(t, []string{"p00", "p01"}, []string{people[0].Name, people[1].Name})
	assert.NotContains(t, readAll(t, ask(t, server, "/", cookie)), "only once")
	assert.True(t, b.AddReport(participant(2)), "who is still here comes back")
	assert.Equal(t, http.StatusBadRequest, press(t, server, "", cookie).StatusCode)
}

func TestNobodyElseEmptiesASeat(t *testing.T) {
	b := newBoard(after(31))
	require.True(t, b.AddReport(participant(1)))
	server := httptest.NewServer(b)
	defer server.Close()
	for _, header := range []http.Header{{}, bearer(toSend), {"Cookie": {"reconcile-board=" + toSend}}} {
		for _, button := range []string{"id=id01", "once=yes", "id=id01&token=" + toRead} {
			assert.Equal(t, http.StatusUnauthorized, press(t, server, button, header).StatusCode, "%s %v", button, header)
		}
	}
	assert.Equal(t, http.StatusNotFound, ask(t, server, "/empty?id=id01", bearer(toRead)).StatusCode, "a link empties none")
	assert.Len(t, b.Class().People, 1)
}

// A report reaches the instructor's terminal.
func TestWhatIsShownMovesNoCursor(t *testing.T) {
	const evil = "\x1b]0;owned\x07\x1b[31mRED\x1b[2J\u202e"
	b := newBoard(after(31))
	server := httptest.NewServer(b)
	defer server.Close()
	r := participant(1)
	r.Name = evil
	r.Exercises[0].Failing = []string{"Test" + evil, strings.Repeat("x", 5000)}
	r.Exercises[0].LooksLike = []string{evil}
	require.Equal(t, http.StatusNoContent, post(t, server.URL, toSend, r))
	text := readAll(t, ask(t, server, "/text", bearer(toRead)))
	assert.Contains(t, text, "]0;owned  [31mRED [2J")
	assert.NotRegexp(t, `[^\n[:print:]]`, text)
	assert.Less(t, len(text), 2000)
}

func readAll(t *testing.T, answer *http.Response) string {
	t.Helper()
	var text bytes.Buffer
	_, err := text.ReadFrom(answer.Body)
	require.NoError(t, err)
	return text.String()
}

func TestWhatIsNoReportIsRefused(t *testing.T) {
	server := httptest.NewServer(newBoard(after(31)))
	defer server.Close()
	about := func(lines ...map[string]any) any { return map[string]any{"id": "x", "exercises": lines} }
	for says, report := range map[string]any{
		"cannot unmarshal string":              "hello",
		"up to 64 letters and digits":          map[string]any{"id": ""},
		"its id has":                           map[string]any{"id": "a\x1bb"},
		"its name has up to 64":                map[string]any{"id": "x", "name": strings.Repeat("x", 65)},
		"unknown field":                        map[string]any{"id": "x", "code": "func main() {}"},
		`there is no flag "purple"`:            map[string]any{"id": "x", "flag": "purple"},
		`the book has no exercise "9i"`:        about(map[string]any{"number": "9.9"}),
		`the book has no exercise " [2J"`:      about(map[string]any{"number": "\x1b[2J"}),
		"exercise 1b is in it twice":           about(map[string]any{"number": "1b"}, map[string]any{"number": "1.1"}),
		"its numbers are between 0 and 100000": about(map[string]any{"number": "1b", "hints": -1}),
		"its numbers":                          about(map[string]any{"number": "1b", "minutes": 1e300}),
	} {
		code, text := answerTo(t, server.URL, toSend, report)
		assert.Equal(t, http.StatusBadRequest, code, says)
		assert.Contains(t, text, says)
	}
	code, text := answerTo(t, server.URL, toSend, map[string]any{"id": "x", "name": strings.Repeat("x", 1<<20)})
	assert.Equal(t, http.StatusRequestEntityTooLarge, code)
	assert.Equal(t, "a report has up to 262144 bytes\n", text)
}

func TestAReportHasNoCodeAndNoNameThatWasNotGiven(t *testing.T) {
	lines := []workspace.Line{
		{Exercise: &exercise.Exercise{Number: "1c"}},
		{Exercise: &exercise.Exercise{Number: "1b"}, Record: workspace.Record{
			Started: nine, Ended: after(22), Tested: after(22), Passed: true, Attempts: 3, Hints: 1,
			Files: []string{"/home/ada/book/plan.go"}, Stubs: map[string]string{"f": "digest"},
		}},
	}
	text, err := json.Marshal(board.NewReport("id", "", board.None, lines, after(30)))
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"id","sent":"2026-11-23T09:30:00Z","exercises":[
		{"number":"1b","started":"2026-11-23T09:00:00Z","tested":"2026-11-23T09:22:00Z","passed":true,
		 "minutes":22,"attempts":3,"hints":1}]}`, string(text))
}

func TestTimingsAreMediansOfThoseWhoPassedByThemselves(t *testing.T) {
	var reports []board.Report
	for _, minutes := range []float64{10, 20, 30, 40, 40} {
		reports = append(reports, board.Report{Exercises: []board.Line{
			{Number: "1b", Passed: true, Minutes: minutes},
			{Number: "1k", Passed: true, Peeked: true, Minutes: 1},
		}})
	}
	timings := board.Timings(reports, map[string]int{"1b": 15})
	assert.Equal(t, []board.Timing{{Number: "1b", Book: 15, Median: 30, P80: 40, People: 5}}, timings)
}
