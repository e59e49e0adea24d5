package browser

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/engine"
)

var update = flag.Bool("update", false, "keep what was measured, or photographed")

// paid is what a page that runs costs: sizes in MB, times in seconds from key to
// answer, memory in MB.
type paid struct {
	Processors int     `json:"processors"`
	Raw        float64 `json:"raw"`
	Gzip       float64 `json:"gzip"`
	Brotli     float64 `json:"brotli"`
	Published  float64 `json:"published"` // by brotli's best; measured by -update alone, since it takes minutes
	First      float64 `json:"first"`     // fetched from this machine, compiled, started, played
	Second     float64 `json:"second"`    // played once more
	Memory     float64 `json:"memory"`    // of the page's process, which has played both
}

const paidFile = "../../../../chapters/07-mysql-cluster/testdata/page.json"

func rounded(n float64) float64 { return math.Round(n*10) / 10 }

// The page How this book is made says what was measured; -update measures anew.
func TestLiveCostsWhatThePageSays(t *testing.T) {
	s := serveLive(t)
	cache, err := build.DefaultCache()
	require.NoError(t, err)
	m, err := engine.Make(t.Context(), root, cache, engine.Quick)
	require.NoError(t, err)
	is := paid{
		Processors: runtime.NumCPU(),
		Raw:        rounded(float64(m.Raw) / 1e6), Gzip: rounded(float64(len(m.Gzip)) / 1e6), Brotli: rounded(float64(len(m.Brotli)) / 1e6),
	}
	if *update {
		is.First, is.Second, is.Memory = timed(t, s)
		m, err := engine.Make(t.Context(), root, cache, engine.Small)
		require.NoError(t, err)
		is.Published = rounded(float64(len(m.Brotli)) / 1e6)
		text, err := json.MarshalIndent(is, "", "\t")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(paidFile, append(text, '\n'), 0o644))
		return
	}
	text, err := os.ReadFile(paidFile)
	require.NoError(t, err)
	var said paid
	require.NoError(t, json.Unmarshal(text, &said))
	for _, size := range [][2]float64{{said.Raw, is.Raw}, {said.Gzip, is.Gzip}, {said.Brotli, is.Brotli}} {
		assert.InEpsilon(t, size[0], size[1], 0.05, "go test ./cmd/bookgen/internal/browser -run TestLiveCosts -update measures anew")
	}
}

func timed(t *testing.T, s *liveSite) (first, second, memory float64) {
	tb := newTab(t, 1440)
	tb.open(s.url + theKubelet)
	p := prompt{tb, podLife}
	p.focus()
	p.types("kubectl get pods")
	tb.wait(`document.activeElement.textContent === "fetch it"`)
	began := time.Now()
	tb.press(enter)
	p.answers("Running")
	first = rounded(time.Since(began).Seconds())
	began = time.Now()
	p.types("kubectl describe pod nginx")
	p.answers("Started")
	return first, rounded(time.Since(began).Seconds()), math.Round(largestPage(t) / 1e6)
}

// isOurs reports whether a process was started by this one, or by one that was.
func isOurs(process string) bool {
	for process != "0" && process != strconv.Itoa(os.Getpid()) {
		text, err := os.ReadFile(filepath.Join("/proc", process, "stat"))
		_, after, found := bytes.Cut(text, []byte(") ")) // what stands in them is its name
		if err != nil || !found {
			return false
		}
		process = strings.Fields(string(after))[1]
	}
	return process != "0"
}

func TestLiveAPageHoldsWhatItSaysThatItWants(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 1440)
	tb.open(s.url + theKubelet)
	before := largestPage(t)
	begins(tb, s, theKubelet, podLife)
	says := ask[float64](tb, `Math.ceil(engine.raw / 3e7) * 100`) // as player.js has it
	assert.Less(t, largestPage(t)-before, says*1e6, "bytes; what is fetched and compiled with is still there")
}

// largestPage returns the memory of the largest of this Chromium's processes that have a
// page, in bytes. It knows Linux.
func largestPage(t *testing.T) (most float64) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, file := range all {
		line, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(line, []byte("--type=renderer")) || !isOurs(filepath.Base(filepath.Dir(file))) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "statm"))
		if err != nil {
			continue // it has ended
		}
		pages, err := strconv.ParseFloat(strings.Fields(string(text))[1], 64)
		require.NoError(t, err)
		most = max(most, pages*float64(os.Getpagesize()))
	}
	require.NotZero(t, most)
	return most
}
