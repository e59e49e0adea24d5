package browser

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/paper"
)

// lookRecord is the record that the page Looking inside tells of, lookFigures where its
// pictures are.
const (
	lookRecord  = root + "/chapters/07-mysql-cluster/testdata/looking.json"
	lookFigures = root + "/chapters/07-mysql-cluster/figures/"
)

// lookPicture is a picture of that page: the views at a moment of the record.
type lookPicture struct {
	name  string
	width int // of the views; below 1000, one at a time
	tall  int
	open  string // what is shown, as lookView's show has it
	tab   string // that is chosen then; "": none
	part  string // that is in the picture
	says  []string
}

const newPod = "default/web-69c6f74b8b-prjfh"

var lookPictures = []lookPicture{
	{"look-cluster", 1040, 600, `{at: 269, select: {kind: "Pod", key: "` + newPod + `"}}`, "", ".look",
		[]string{"Terminating", "Pending", "Why node-1?", "Service web → 2 Pods"}},
	{"look-lanes", 990, 680, `{at: 282}`, "loops", ".panel.loops",
		[]string{"replicaset", "endpointslice", "kubelet node-1"}},
	{"look-why", 690, 640, `{select: {n: 267}}`, "", ".panel.why",
		[]string{"It began with kubectl delete.", "scheduler chose node-1"}},
	{"look-node", 690, 470, `{at: 269, select: {kind: "Pod", key: "` + newPod + `"}}`, "", ".panel.object",
		[]string{"apiVersion: v1", "Why node-1?", "sum\tPodTopologySpread", "595\t100 × 2", "495\t50 × 2"}},
}

// TestLookPictures opens the views at the moments that are in the book's pictures. With
// -update it takes the pictures:
//
//	go test ./cmd/bookgen/internal/browser -run LookPictures -update
func TestLookPictures(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	record, err := os.ReadFile(lookRecord)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "assets", "looking.json"), record, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "assets", "looking.html"), []byte(`<!doctype html>
<link rel=stylesheet href=book.css><link rel=stylesheet href=look.css><style>body{margin:0}</style>
<link rel=icon href=favicon.svg><script src=look.js></script><div></div>`), 0o644))
	tb := newTab(t, 1100)
	for _, scheme := range []string{"light", "dark"} {
		tb.prefer(scheme)
		for _, picture := range lookPictures {
			keep(t, tb.take(p, picture), lookFigures+picture.name+map[string]string{"light": ".png", "dark": ".dark.png"}[scheme], 80_000)
		}
	}
	console, _ := tb.said()
	assert.Empty(t, console)
}

// take shows what is in a picture, and takes it.
func (tb *tab) take(p place, of lookPicture) []byte {
	tb.t.Helper()
	tb.do(chromedp.EmulateViewport(int64(of.width), int64(of.tall), chromedp.EmulateScale(2)))
	tb.open(p.url + "assets/looking.html")
	ask[bool](tb, fmt.Sprintf(`fetch("looking.json").then((response) => response.json()).then(({ entries, versions }) => {
		const root = document.querySelector("div");
		root.style.setProperty("--look-tall", "%dpx");
		const view = lookView(root, { whole: true, follow(take) { take(entries); }, versions: async (kind, key) => versions[kind + " " + key] ?? [] });
		view.show(%s);
		document.querySelector(".look nav [value='%s']")?.click();
		return true;
	})`, of.tall, of.open, of.tab))
	for _, words := range of.says {
		tb.wait(fmt.Sprintf(`document.querySelector(%q)?.innerText.includes(%q)`, of.part, words))
	}
	tb.wait(lanesFit)
	return tb.capture(of.part)
}

// lanesFit says whether the lanes, where they are seen, are drawn as wide as they are.
const lanesFit = `(() => {
	const svg = document.querySelector(".loops svg"), line = svg?.querySelector(".line")?.getAttribute("d");
	return !svg?.checkVisibility() || Math.abs(Number(line?.split("H")[1]) - svg.getBoundingClientRect().width) < 1;
})()`

// capture takes a picture of the first element that the selector finds.
func (tb *tab) capture(selector string) []byte {
	tb.t.Helper()
	rect := ask[[]float64](tb, fmt.Sprintf(`(({x, y, width, height}) => [x, y, width, height])(document.querySelector(%q).getBoundingClientRect())`, selector))
	shot, err := chromedp.Call(tb.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Clip: &page.Viewport{X: rect[0], Y: rect[1], Width: rect[2], Height: rect[3], Scale: 1},
	})
	require.NoError(tb.t, err)
	return shot.Data
}

// keep keeps a picture in a file, or asserts that there is one of its size; it has at
// most so many bytes.
func keep(t *testing.T, shot []byte, file string, most int) {
	t.Helper()
	taken, err := png.Decode(bytes.NewReader(shot))
	require.NoError(t, err)
	if *update {
		var out bytes.Buffer
		encoder := png.Encoder{CompressionLevel: png.BestCompression}
		require.NoError(t, encoder.Encode(&out, paper.WithFewColours(taken, 64)))
		require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644))
	}
	content, err := os.ReadFile(file)
	require.NoError(t, err, "go test -run %s -update takes it", t.Name())
	kept, err := png.DecodeConfig(bytes.NewReader(content))
	require.NoError(t, err)
	const rounding = 4 // browsers round borders differently
	assert.InDelta(t, taken.Bounds().Dx(), kept.Width, rounding, "the width of %s", strings.TrimPrefix(file, root))
	assert.InDelta(t, taken.Bounds().Dy(), kept.Height, rounding, "the height of %s", strings.TrimPrefix(file, root))
	assert.LessOrEqual(t, len(content), most)
}
