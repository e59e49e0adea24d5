package engine

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"

	"reconcile/cmd/bookgen/internal/slider"
)

// Sliders are the modules that draw sliders, by their packages' names: one for the
// sliders of a chapter, so that none is larger than its chapter.
type Sliders map[string]*Module

// MakeSliders compiles them, as [Make] compiles the engine.
func MakeSliders(ctx context.Context, root, cache string, how Packing) (Sliders, error) {
	all := Sliders{}
	for _, form := range slider.Forms() {
		if all[form.Module] != nil {
			continue
		}
		m, err := compile(ctx, root, cache, how, form.Module, sliderPackage(form))
		if err != nil {
			return nil, err
		}
		all[form.Module] = m
	}
	return all, nil
}

// sliderPackage returns the main package of the module that draws a slider.
func sliderPackage(form slider.Form) string {
	return "cmd/bookgen/internal/slider/" + form.Module + "/page"
}

// drawn matches the markup of a figure with a slider, up to the caption.
var drawn = regexp.MustCompile(`(?s)<figure class=drawing [^>]*data-slider=([a-z0-9-]+)>.*?(<figcaption>|</figure>)`)

// AddTo adds the modules to the files of a site, and forms to the figures of its
// pages that have sliders.
func (s Sliders) AddTo(files map[string][]byte) (err error) {
	for name, page := range files {
		if path.Ext(name) != ".html" || !bytes.Contains(page, []byte("data-slider=")) {
			continue
		}
		if page, err = withForms(page); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		files[name] = asking(page, assetsOf(name), "slider.css", "slider-begin.js")
	}
	about := map[string]any{}
	for module, m := range s {
		about[module] = m.addedTo(files)
	}
	if files["assets/slider.js"], err = script("sliders", about, "slider.js"); err != nil {
		return err
	}
	for _, part := range []string{"slider-begin.js", "slider.css"} {
		if files["assets/"+part], err = web.ReadFile("web/" + part); err != nil {
			return err
		}
	}
	return nil
}

// withForms puts a form below each figure that has a slider.
func withForms(page []byte) (_ []byte, failed error) {
	page = drawn.ReplaceAllFunc(page, func(figure []byte) []byte {
		found := drawn.FindSubmatch(figure)
		form, err := slider.Named(string(found[1]))
		if err != nil {
			failed = err
			return figure
		}
		end := len(figure) - len(found[2])
		return bytes.Join([][]byte{figure[:end], []byte(form.HTML(string(found[1]))), figure[end:]}, nil)
	})
	return page, failed
}
