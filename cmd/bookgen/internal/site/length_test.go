package site

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheLengthOfAPartCountsItsCode(t *testing.T) {
	exercises := []ExerciseLink{{Minutes: 20}, {Minutes: 45}}
	cases := map[string]struct {
		part Part
		want string
	}{
		"text alone":        {Part{Words: 201}, "2 minutes of text"},
		"a minute":          {Part{Words: 10}, "1 minute of text"},
		"with code":         {Part{Words: 9600, Lines: 5940}, "48 minutes of text, about 9 hours with the code"},
		"with exercises":    {Part{Words: 1000, Lines: 60, Exercises: exercises}, "5 minutes of text, about 10 minutes with the code · 2 exercises, about 1 hour"},
		"a quarter is near": {Part{Words: 13200}, "1 hour of text"},
		"and the next":      {Part{Words: 13600}, "1¼ hours of text"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, c.part.Length()) })
	}
}

func TestTheBookCountsHowLongItTakes(t *testing.T) {
	part := func(words, lines int) *Part {
		return &Part{Words: words, Lines: lines, Opening: Section{Short: true, Words: 400, Lines: 12}, Exercises: []ExerciseLink{{Minutes: 45}}}
	}
	compared := part(9000, 9000)
	compared.Compared = true
	compared.Opening.Short = false
	book := &Book{Chapters: []*Chapter{
		{Number: 1, Slug: "01-a", Title: "A", Written: true, Parts: []*Part{part(6000, 360), part(6000, 360), compared}},
		{Number: 2, Slug: "02-b", Title: "B", Written: true, Parts: []*Part{{Words: 200}}},
		{Number: 3, Slug: "03-c", Title: "C"},
	}}
	assert.Equal(t, map[string]string{
		"text": "1 hour", "code": "2 hours", "exercises": "2 exercises", "work": "1½ hours",
		"short-text": "4 minutes", "short-code": "6 minutes", "words-per-minute": "200", "lines-per-minute": "12",
	}, book.Counted())
	times := book.Times().String()
	assert.Contains(t, times, `<a href=01-a/index.html>1 · A</a></td><td data-c=Text>1 hour</td><td data-c="With the code">2 hours</td><td data-c=Exercises>2, 1½ hours</td>`)
	assert.Contains(t, times, `<a href=02-b/index.html>2 · B</a></td><td data-c=Text>1 minute</td><td data-c="With the code">1 minute</td><td data-c=Exercises></td>`)
	assert.NotContains(t, times, "3 · C", "it is not written")
}
