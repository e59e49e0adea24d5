package exercise

import (
	"slices"

	"reconcile/internal/source"
)

// A Tree is a state of the book in which a reader begins: some exercises are
// started, and those before them are the book's.
type Tree struct {
	Name   string // as errors call it
	File   string // that asks for it, and where
	Line   int
	Before []string // numbers of exercises
	Begins []string
}

// treeClaims returns the claims about a tree that tests of one folder can judge:
// those of the exercises before pass in it, and those of what is begun fail.
// exercises are all of the chapter that tests judge.
func treeClaims(tree Tree, exercises []*Exercise, folder, chapter string) ([]*claim, error) {
	of := func(numbers []string) []*Exercise {
		return slices.DeleteFunc(slices.Clone(exercises), func(e *Exercise) bool { return !slices.Contains(numbers, e.Number) })
	}
	begun := of(tree.Begins)
	if len(begun) == 0 {
		return nil, nil
	}
	variant, err := started(begun, chapter)
	var claims []*claim
	add := func(about string, fail bool, judged ...*Exercise) {
		c := &claim{about: tree.Name + ": " + about, file: tree.File, line: tree.Line, open: begun, fail: fail, once: true, variant: variant}
		for _, e := range judged {
			if e.Folder == folder {
				c.judgeBy(names(e.Tests))
			}
		}
		if len(c.tests) > 0 {
			claims = append(claims, c)
		}
	}
	add("what is before it passes", false, of(tree.Before)...)
	for _, e := range begun {
		add(e.Number+" is to be done", true, e)
	}
	return claims, source.Join(err)
}
