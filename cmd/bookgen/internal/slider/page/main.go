//go:build js

// Page draws the sliders of all chapters in a page's worker.
package main

import (
	"reconcile/cmd/bookgen/internal/slider"
	"reconcile/cmd/bookgen/internal/slider/chapter03"
)

func main() { slider.Serve(chapter03.Sliders...) }
