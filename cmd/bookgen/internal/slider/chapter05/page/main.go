//go:build js

// Page draws chapter 5's sliders in a page's worker.
package main

import (
	"reconcile/cmd/bookgen/internal/slider"
	"reconcile/cmd/bookgen/internal/slider/chapter05"
)

func main() { slider.Serve(chapter05.Sliders...) }
