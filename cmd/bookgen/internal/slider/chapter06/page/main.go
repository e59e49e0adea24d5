//go:build js

// Page draws chapter 6's sliders in a page's worker.
package main

import (
	"reconcile/cmd/bookgen/internal/slider"
	"reconcile/cmd/bookgen/internal/slider/chapter06"
)

func main() { slider.Serve(chapter06.Sliders...) }
