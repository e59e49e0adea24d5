package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/lab/program"
)

const aToken = "sixteen-letters-and-more"

// runBoard starts a board, and returns its address, and the token of who looks at it.
func runBoard(t *testing.T) (address, toRead string) {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	printed, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- program.Run(ctx, newRoot(), []string{"workshop", "board", "--address", "127.0.0.1", "--port", "0", "--token", aToken}, out, io.Discard)
		out.Close()
	}()
	t.Cleanup(func() {
		interrupt()
		assert.Equal(t, 0, <-code)
	})
	lines := bufio.NewReader(printed)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	go io.Copy(io.Discard, lines) // nobody looks at the terminal
	found := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/\?token=(\w+) `).FindStringSubmatch(line)
	require.NotNil(t, found, line)
	assert.NotEqual(t, aToken, found[2])
	return found[1], found[2]
}

func boardSays(t *testing.T, address, toRead string) string {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, address+"/text", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+toRead)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(text)
}

func TestTwoParticipantsReportToTheBoard(t *testing.T) {
	address, toRead := runBoard(t)
	t.Run("Ada", func(t *testing.T) {
		newBook(t)
		ex(t, 0, "start", "1b")
		assert.Contains(t, ex(t, 0, "report", "--name", "Ada", "--to", address, "--token", aToken), "Sent to "+address)
		ex(t, 1, "test", "1b")
		ex(t, 0, "flag", "red")
	})
	t.Run("Barend", func(t *testing.T) {
		newBook(t)
		ex(t, 0, "start", "1b")
		ex(t, 0, "report", "--name", "Barend", "--to", address, "--token", aToken)
		ex(t, 0, "report", "--stop")
		assert.Contains(t, ex(t, 1, "flag", "green"), "no board sees it yet")
	})
	text := boardSays(t, address, toRead)
	assert.Regexp(t, `(?m)^1b +2 +0 +0 +Test\w+ 1`, text, "a test that was sent by itself")
	assert.Regexp(t, `(?m)^Ada +red +1b +1 +0 *$`, text)
	assert.Regexp(t, `(?m)^Barend +1b +0 +0 *$`, text)
}

// A page of the book has another address than the board. With the token it may send, and
// hears what is said; nothing else on the board is open to it.
func TestAPageReportsToTheBoard(t *testing.T) {
	address, toRead := runBoard(t)
	asks := func(method, path, token string) *http.Response {
		request, err := http.NewRequest(method, address+path, strings.NewReader(`{"id": "fromapage", "exercises": []}`))
		require.NoError(t, err)
		request.Header = http.Header{"Origin": {"http://book.example"}, "Sec-Fetch-Site": {"cross-site"}, "Authorization": {"Bearer " + token}}
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		t.Cleanup(func() { answer.Body.Close() })
		return answer
	}
	may := asks(http.MethodOptions, "/report", "").Header
	assert.Equal(t, "* Authorization", may.Get("Access-Control-Allow-Origin")+" "+may.Get("Access-Control-Allow-Headers"))
	for token, code := range map[string]int{"": http.StatusUnauthorized, toRead: http.StatusUnauthorized, aToken: http.StatusNoContent} {
		answer := asks(http.MethodPost, "/report", token)
		assert.Equal(t, code, answer.StatusCode)
		assert.Equal(t, "*", answer.Header.Get("Access-Control-Allow-Origin"))
	}
	assert.Contains(t, boardSays(t, address, toRead), "no name from")
	for _, path := range []string{"/empty", "/"} {
		assert.Equal(t, http.StatusForbidden, asks(http.MethodPost, path, toRead).StatusCode)
		assert.Empty(t, asks(http.MethodOptions, path, toRead).Header.Get("Access-Control-Allow-Origin"))
	}
}

func TestABoardThatDoesNotAnswerStopsNobody(t *testing.T) {
	newBook(t)
	assert.Contains(t, ex(t, 1, "report", "--to", "http://127.0.0.1:1"), "the board does not answer")
	assert.Contains(t, ex(t, 0, "start", "1b"), "lab: your report was not sent: the board does not answer")
	assert.Contains(t, ex(t, 1, "flag", "blue"), "which flag? red, green or off")
}

func TestABoardForOthersWantsAToken(t *testing.T) {
	assert.Contains(t, runLab(t, 1, "workshop", "board", "--address", "0.0.0.0", "--token", "short"), "a --token of at least 16 characters is wanted")
	assert.Contains(t, runLab(t, 1, "workshop", "board", "--address", "here"), "an IP address of this machine is wanted")
}

func TestTimingsOfReports(t *testing.T) {
	newBook(t)
	folder := t.TempDir()
	for i, minutes := range []int{18, 22, 35} {
		text := fmt.Sprintf(`{"id":"p%d","sent":"2026-11-23T09:30:00Z","exercises":[{"number":"%s","passed":true,"minutes":%d}]}`, i, []string{"1b", "1.1", "1b"}[i], minutes)
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprint(i, ".json")), []byte(text), 0o644))
	}
	assert.Equal(t, "EXERCISE   BOOK   MEDIAN   80 %   PEOPLE   FRONT MATTER\n1b         20     22       30     3        minutes: {median: 22, people: 3}\n",
		runLab(t, 0, "workshop", "timings", folder))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "x.json"), []byte("{"), 0o644))
	assert.Contains(t, runLab(t, 1, "workshop", "timings", folder), "x.json: this is no report")
}
