package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"

	"reconcile/cmd/bookgen/internal/slider"
)

// Sliders are the modules that draw sliders, by their packages' names: one for the
// sliders of a chapter, so that none is larger than its chapter.
type Sliders map[string]*Module

// MakeSliders compiles them, as [Make] compiles the engine.
func MakeSliders(ctx context.Context, root, cache string) (Sliders, error) {
	all := Sliders{}
	for _, form := range slider.Forms() {
		if all[form.Module] != nil {
			continue
		}
		m, err := compile(ctx, root, cache, form.Module, "./cmd/bookgen/internal/slider/"+form.Module+"/page")
		if err != nil {
			return nil, err
		}
		all[form.Module] = m
	}
	return all, nil
}

// drawn matches the markup of a figure with a slider, up to the caption.
var drawn = regexp.MustCompile(`(?s)<figure class=drawing [^>]*data-slider=([a-z0-9-]+)>.*?(<figcaption>|</figure>)`)

// AddTo adds the modules to the files of a site, and forms to the figures of its
// pages that have sliders.
func (s Sliders) AddTo(files map[string][]byte) error {
	for name, page := range files {
		if path.Ext(name) != ".html" || !bytes.Contains(page, []byte("data-slider=")) {
			continue
		}
		var failed error
		page = drawn.ReplaceAllFunc(page, func(figure []byte) []byte {
			found := drawn.FindSubmatch(figure)
			form, err := slider.Named(string(found[1]))
			if err != nil {
				failed = fmt.Errorf("%s: %w", name, err)
				return figure
			}
			end := len(figure) - len(found[2])
			return bytes.Join([][]byte{figure[:end], []byte(form.HTML(string(found[1]))), figure[end:]}, nil)
		})
		if failed != nil {
			return failed
		}
		assets := strings.Repeat("../", strings.Count(name, "/")) + "assets/"
		asks := fmt.Sprintf("<link rel=stylesheet href=%sslider.css>\n<script defer src=%sslider-begin.js></script>\n", assets, assets)
		files[name] = bytes.Replace(page, []byte(endOfHead), []byte(asks+endOfHead), 1)
	}
	about := map[string]map[string]any{}
	for module, m := range s {
		about[module] = map[string]any{"name": m.Name, "raw": m.Raw, "gzip": len(m.Gzip), "brotli": len(m.Brotli)}
		files["assets/"+m.Name+".br"] = m.Brotli
		files["assets/"+m.Name+".gz"] = m.Gzip
	}
	text, err := json.Marshal(about)
	if err != nil {
		return err
	}
	for _, part := range []string{"slider.js", "slider-begin.js", "slider.css"} {
		script, err := web.ReadFile("web/" + part)
		if err != nil {
			return err
		}
		if part == "slider.js" {
			script = append(fmt.Appendf(nil, "const sliders = %s;\n", text), script...)
		}
		files["assets/"+part] = script
	}
	return nil
}
