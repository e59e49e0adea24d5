package engine

import (
	"context"

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

// AddTo adds the modules to the files of a site, and to the script of its pages the forms
// of the figures that have sliders.
func (s Sliders) AddTo(files map[string][]byte) (err error) {
	about := map[string]any{}
	for module, m := range s {
		about[module] = m.addedTo(files)
	}
	if files["assets/slider.js"], err = script("sliders", about, "slider.js"); err != nil {
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
