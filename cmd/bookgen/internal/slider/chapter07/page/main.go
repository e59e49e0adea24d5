//go:build js

// Page draws chapter 7's sliders in a page's worker.
package main

import (
	"reconcile/cmd/bookgen/internal/slider"
	"reconcile/cmd/bookgen/internal/slider/chapter07"
)

func main() { slider.Serve(chapter07.Sliders...) }
