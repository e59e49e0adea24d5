package book

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// answerParser finds the text behind a colon below a question: a definition in
// goldmark's words. Unlike goldmark it takes a question of several lines for
// one, and an answer's paragraphs for paragraphs.
type answerParser struct{ parser.BlockParser }

func newAnswerParser() parser.BlockParser {
	return answerParser{extension.NewDefinitionDescriptionParser()}
}

func (p answerParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	list, ok := parent.(*extast.DefinitionList)
	if !ok || list.TemporaryParagraph == nil {
		return p.BlockParser.Open(parent, reader, pc)
	}
	question := list.TemporaryParagraph.Lines()
	before := list.LastChild()
	answer, state := p.BlockParser.Open(parent, reader, pc)
	first := list.FirstChild()
	if before != nil {
		first = before.NextSibling()
	}
	for first != nil && first.NextSibling() != nil {
		list.RemoveChild(list, first.NextSibling())
	}
	if first != nil {
		last := question.Len() - 1
		end := question.At(last)
		question.Set(last, end.TrimRightSpace(reader.Source()))
		first.SetLines(question)
	}
	return answer, state
}

// Close leaves paragraphs as they are.
func (answerParser) Close(ast.Node, text.Reader, parser.Context) {}
