package engine

import (
	"context"

	"reconcile/cmd/bookgen/internal/slider"
)

// Sliders is the module that draws the sliders of all chapters: a page that has one of
// them has fetched what draws the next page's.
type Sliders struct{ *Module }

// MakeSliders compiles it, as [Make] compiles the engine.
func MakeSliders(ctx context.Context, root, cache string, how Packing) (Sliders, error) {
	m, err := Compile(ctx, root, cache, how, "sliders", slidersPackage)
	return Sliders{m}, err
}

const slidersPackage = "cmd/bookgen/internal/slider/page"

// AddTo adds the module to the files of a site, and to the script of its pages the forms
// of the figures that have sliders.
func (s Sliders) AddTo(files map[string][]byte) (err error) {
	if files["assets/slider.js"], err = script("sliders", s.AddedTo(files), "slider.js"); err != nil {
		return err
	}
	forms := map[string]string{}
	for name, form := range slider.Forms() {
		forms[name] = form.HTML(name)
	}
	if files["assets/slider-forms.js"], err = script("sliderForms", forms, "slider-forms.js"); err != nil {
		return err
	}
	return asked(files, "slider.css", "slider-begin.js")
}
