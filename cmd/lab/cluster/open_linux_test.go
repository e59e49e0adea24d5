package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// opens has the system's way to open a page write down what it's to open, and returns
// what that was.
func (h *home) opens() (address func() string) {
	h.t.Helper()
	h.realProgram("xdg-open", "echo $1 >> "+h.file("opened")+"\n")
	return func() string {
		var text []byte
		require.Eventually(h.t, func() (written bool) {
			text, _ = os.ReadFile(h.file("opened"))
			return strings.HasSuffix(string(text), "\n")
		}, limit, 10*time.Millisecond)
		return strings.TrimSpace(string(text))
	}
}

// printedPage returns the address of the page that a lab has printed.
func (p *process) printedPage() string {
	return regexp.MustCompile(`http://127\.0\.0\.1:\d+/lab/look/\?token=\S+`).FindString(p.printed())
}

func TestThePageIsOpenedIfAskedFor(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	opened := h.opens()
	lab := h.up("--nodes", "0")
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
	lab = h.up("--nodes", "0", "--open")
	assert.Equal(t, lab.printedPage(), opened(), "and not that of the lab before, which didn't ask")
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}

// A browser is outside, where the lab itself has no way to.
func TestThePageOfRealContainersIsOpenedOutside(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	realNeeds(t, "busybox")
	opened := h.opens()
	lab := h.up("--runtime", "runc", "--nodes", "0", "--open")
	assert.Equal(t, lab.printedPage(), opened())
	response, err := http.DefaultTransport.RoundTrip(httptest.NewRequest(http.MethodGet, opened(), nil))
	require.NoError(t, err)
	response.Body.Close()
	assert.Equal(t, http.StatusSeeOther, response.StatusCode, "its port leads into the room")
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}
