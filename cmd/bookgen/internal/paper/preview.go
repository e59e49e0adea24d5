package paper

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"

	"github.com/chromedp/chromedp"

	"reconcile/cmd/bookgen/internal/figure"
	"reconcile/cmd/bookgen/internal/site"
)

//go:embed preview.html
var previewText string

var previewTemplate = template.Must(template.New("preview").Parse(previewText))

// Previews returns the picture of each card, by its path in the site: a PNG of
// 1200 × 630 pixels with the card's words beside the control loop.
func Previews(ctx context.Context, cards []site.Card) (map[string][]byte, error) {
	press, err := start(ctx)
	if err != nil {
		return nil, err
	}
	defer press.Close()
	if err := press.put(site.Assets()); err != nil {
		return nil, err
	}
	pictures := map[string][]byte{}
	for _, card := range cards {
		if pictures[card.File], err = press.picture(card); err != nil {
			return nil, fmt.Errorf("draw %s: %w", card.File, err)
		}
	}
	return pictures, nil
}

// picture draws one card.
func (p *press) picture(card site.Card) ([]byte, error) {
	var document bytes.Buffer
	err := previewTemplate.Execute(&document, struct {
		site.Card
		Loop template.HTML
		Size int // of the title, in pixels
	}{card, template.HTML(figure.OpenGraph()), titleSize(card.Title)})
	if err == nil {
		err = chromedp.Do(p.ctx, chromedp.EmulateViewport(1200, 630))
	}
	if err == nil {
		err = p.open(document.Bytes())
	}
	if err != nil {
		return nil, err
	}
	shot, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return nil, err
	}
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&out, WithFewColours(picture, 48))
	return out.Bytes(), err
}

// titleSize returns the size in which a title has four lines or fewer.
func titleSize(title string) int {
	switch n := len([]rune(title)); {
	case n <= 10:
		return 118
	case n <= 32:
		return 76
	}
	return 60
}

// WithFewColours reduces a picture to its most frequent colours: it is a
// drawing, in four of them and the shades in between.
func WithFewColours(picture image.Image, most int) image.Image {
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
