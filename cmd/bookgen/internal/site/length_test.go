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
		"with folds":        {Part{Words: 400, Lines: 1, Folded: 8366}, "2 minutes of text, about 3 minutes with the code, and 8,366 folded lines"},
		"with one line":     {Part{Words: 400, Folded: 1}, "2 minutes of text, and 1 folded line"},
		"with exercises":    {Part{Words: 1000, Lines: 60, Exercises: exercises}, "5 minutes of text, about 10 minutes with the code · 2 exercises, about 1 hour"},
		"a quarter is near": {Part{Words: 13200}, "1 hour of text"},
		"and the next":      {Part{Words: 13600}, "1¼ hours of text"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, c.part.Length()) })
	}
}
