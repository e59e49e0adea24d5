package site

import (
	_ "embed"
	"html/template"
)

//go:embed art/loop.svg
var loopDrawing string

// LoopDrawing returns the picture of the loop, to stand in a page.
func (p *page) LoopDrawing() template.HTML { return LoopDrawing() }

// LoopDrawing returns the picture of the loop, without its style: the sheet of the
// front page has it.
func LoopDrawing() template.HTML { return template.HTML(loopDrawing) }

// First returns the first chapter that can be read, or nil.
func (p *page) First() *Chapter {
	for _, c := range p.Book.Chapters {
		if c.Written {
			return c
		}
	}
	return nil
}
