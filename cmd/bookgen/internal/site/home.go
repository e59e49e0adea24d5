package site

import (
	_ "embed"
	"html/template"
)

//go:embed art/loop.svg
var loopDrawing string

// LoopDrawing returns the picture of the loop, to stand in a page.
func LoopDrawing() template.HTML { return template.HTML(loopDrawing) }

// LoopStyle returns the style sheet of that picture.
func LoopStyle() string { return read("styles/loop.css") }

// LoopDrawing does the same, for templates.
func (p *page) LoopDrawing() template.HTML { return LoopDrawing() }

// First returns the first chapter that can be read, or nil.
func (p *page) First() *Chapter {
	for _, c := range p.Book.Chapters {
		if c.Written {
			return c
		}
	}
	return nil
}
