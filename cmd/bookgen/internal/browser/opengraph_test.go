package browser

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

var update = flag.Bool("update", false, "draw the picture for link previews anew")

// openGraphPicture is the file that the site takes it from.
const openGraphPicture = "../site/art/opengraph.png"

// TestThePictureForLinkPreviewsCanBeDrawn makes pixels of figure.OpenGraph, in
// the book's own fonts. With -update it keeps them:
//
//	go test ./cmd/bookgen/internal/browser -run PictureForLinkPreviews -update
func TestThePictureForLinkPreviewsCanBeDrawn(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	page := `<!doctype html><link rel=stylesheet href=book.css><style>body{margin:0}svg{display:block}</style>` + string(figure.OpenGraph())
	// It is no page of the sample: those are at its root.
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "assets", "opengraph.html"), []byte(page), 0o644))
	tb := newTab(t, 1200)
	tb.do(chromedp.EmulateViewport(1200, 630))
	tb.open(p.url + "assets/opengraph.html")
	shot, err := chromedp.Run(tb.ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	picture, err := png.Decode(bytes.NewReader(shot))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 1200, 630), picture.Bounds())
	if !*update {
		return
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	require.NoError(t, encoder.Encode(&out, withFewColours(picture, 48)))
	require.NoError(t, os.WriteFile(openGraphPicture, out.Bytes(), 0o644))
}

// withFewColours reduces a picture to its most frequent colours: it is a
// drawing, in four of them and the shades in between.
func withFewColours(picture image.Image, most int) image.Image {
	count := map[color.RGBA]int{}
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)]++
		}
	}
	var palette color.Palette
	for c := range count {
		palette = append(palette, c)
	}
	slices.SortFunc(palette, func(a, b color.Color) int {
		x, y := a.(color.RGBA), b.(color.RGBA)
		if n := count[y] - count[x]; n != 0 {
			return n
		}
		return slices.Compare([]uint8{x.R, x.G, x.B}, []uint8{y.R, y.G, y.B})
	})
	few := image.NewPaletted(bounds, palette[:min(most, len(palette))])
	draw.Draw(few, bounds, picture, bounds.Min, draw.Src)
	return few
}
