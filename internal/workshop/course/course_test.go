package course_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/source"
	"reconcile/internal/workshop/course"
)

const front = `---
title: A day
summary: All of it.
start: "09:00"
minutes: 390
people: 20
breaks: 10 every 80
---
`

const day = front + `Read *this* first.

### And this

It is short.

## The loop

- [A loop that works](../chapters/01-control-loop/chapter.md#a-loop-that-works)
- [The kubelet](../chapters/01-control-loop/the-kubelet.md) {minutes=8}

  Show it live, in a terminal:

      kubectl get pods
- [1b Compare and act](../chapters/01-control-loop/exercises/1b.md)
  Who is quick does the next.

- 20 min: Questions in pairs, from *What you can now explain*

  With the answers folded,
  and a pencil.
- 60 min break: Lunch

## Rolling

- 15 min: Talk
`

func parsed(t *testing.T, text string) *course.Course {
	t.Helper()
	c, err := course.Parse("workshop/day.md", []byte(text))
	require.NoError(t, err)
	return c
}

func TestACourseIsReadWithItsLines(t *testing.T) {
	c := parsed(t, day)
	assert.Equal(t, "day", c.Slug)
	assert.Equal(t, []int{9 * 60}, c.Starts)
	assert.Equal(t, course.Breaks{Minutes: 10, Every: 80}, c.Breaks)
	assert.Equal(t, "Read *this* first.\n\n### And this\n\nIt is short.", c.Body)
	assert.Equal(t, 9, c.BodyLine)
	require.Len(t, c.Sessions, 2)
	assert.Equal(t, "The loop", c.Sessions[0].Title)
	assert.Equal(t, 15, c.Sessions[0].Line)
	assert.Equal(t, []string{"1b"}, c.Sessions[0].Exercises())
	assert.Equal(t, []*course.Item{
		{Line: 17, Text: "A loop that works", Chapter: "01-control-loop", Part: "chapter.md", Heading: "a-loop-that-works"},
		{Line: 18, Text: "The kubelet", Chapter: "01-control-loop", Part: "the-kubelet.md", Minutes: 8,
			BodyLine: 19, Body: "\nShow it live, in a terminal:\n\n    kubectl get pods"},
		{Line: 23, Text: "1b Compare and act", Chapter: "01-control-loop", Exercise: "1b",
			BodyLine: 24, Body: "Who is quick does the next."},
		{Line: 26, Text: "Questions in pairs, from *What you can now explain*", Minutes: 20,
			BodyLine: 27, Body: "\nWith the answers folded,\nand a pencil."},
		{Line: 30, Text: "Lunch", Minutes: 60, Break: true},
	}, c.Sessions[0].Items)
}

func TestWhatIsWrongWithACourseIsNamedWithItsLine(t *testing.T) {
	for name, test := range map[string]struct{ in, out, says string }{
		"no session":         {day[len(front):], "Read.\n", "9: the course has no session"},
		"a session alone":    {"- 15 min: Talk\n", "", `32: the session "Rolling" has no items`},
		"a line of no form":  {"- 15 min: Talk", "Talk", "34: this is no item"},
		"minutes of nothing": {"15 min: Talk", "0 min: Talk", "34: this is no item"},
		"a link elsewhere":   {"../chapters/01-control-loop/the-kubelet.md", "../README.md", "18: a course links to sections and exercises"},
		"a link to code":     {"the-kubelet.md", "queue.go", "18: a course links to sections and exercises"},
		"part of an exercise": {"exercises/1b.md", "exercises/1b.md#hints",
			"23: an exercise is done whole, without #hints"},
		"an unknown key":       {"people: 20", "persons: 20", "6: front matter has no key persons"},
		"no title":             {"title: A day", "title:", "1: front matter needs a title and a summary"},
		"nobody":               {"people: 20", "people: 0", "1: front matter needs minutes and people"},
		"a time of no clock":   {"09:00", "24:00", "1: start: a time such as"},
		"breaks of another":    {"10 every 80", "ten", "1: breaks: so many minutes after so many"},
		"an evening too late":  {"## Rolling", "## Rolling {evening=2}", "32: evening 2 follows evening 1, of 1 that have a start"},
		"an evening left out":  {`"09:00"`, `"09:00, 10:00"`, "1: no session begins evening 2"},
		"an evening backwards": {"## The loop", "## The loop {evening=2}", "15: evening 2 follows evening 1, of 1 that have a start"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, day, test.in)
			_, err := course.Parse("day.md", []byte(strings.Replace(day, test.in, test.out, 1)))
			require.Error(t, err)
			var said []string
			for _, e := range source.Flatten(err) {
				said = append(said, e.Error())
			}
			assert.Contains(t, strings.Join(said, "\n"), "day.md:"+test.says)
		})
	}
}

// table returns a timetable in which sections take half an hour, and exercises a
// quarter.
func table(t *testing.T, text string) (lines []string, err error) {
	t.Helper()
	slots, err := parsed(t, text).Timetable(func(item *course.Item) int {
		if item.Exercise != "" {
			return 15
		}
		return 30
	})
	for _, s := range slots {
		what := "a break"
		if s.Item != nil {
			what = s.Item.Text
		}
		lines = append(lines, fmt.Sprintf("%s %d %s, of %s", course.Clock(s.At), s.Minutes, what, s.Session.Title))
	}
	return lines, err
}

const single = `---
title: The course
summary: Twelve of them.
people: 1
---

## The first evening

- [1b Compare and act](../chapters/01-control-loop/exercises/1b.md)

## The second evening

- [2b What a cache has not heard of](../chapters/02-deployment/exercises/2b.md)
`

func TestAReaderAloneHasExercisesAndNoClock(t *testing.T) {
	c := parsed(t, single)
	assert.True(t, c.Alone())
	assert.Equal(t, []string{"1b", "2b"}, c.Exercises())
	for name, test := range map[string]struct{ in, out, says string }{
		"a start":    {"people: 1\n", "people: 1\nstart: \"18:00\"\n", "1: one reader has neither start nor minutes nor breaks"},
		"minutes":    {"1b.md)", "1b.md) {minutes=5}", "9: for one reader a course is a list of exercises"},
		"a section":  {"exercises/2b.md", "chapter.md", "13: for one reader a course is a list of exercises"},
		"what to do": {"## The second evening\n", "## The second evening\n\n- 20 min: Talk", "13: for one reader a course is a list of exercises"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := course.Parse("course.md", []byte(strings.Replace(single, test.in, test.out, 1)))
			assert.ErrorContains(t, err, "course.md:"+test.says)
		})
	}
}

func TestThereIsOneCourseForOneReader(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.md", "b.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(single), 0o644))
	}
	_, _, err := course.Load(dir)
	assert.EqualError(t, err, fmt.Sprintf("%[1]s/b.md:1: people: 1 is for one reader, and so is %[1]s/a.md", dir))
}

func TestABreakComesBeforeItIsTooLong(t *testing.T) {
	lines, err := table(t, strings.Replace(day, "15 min: Talk", "80 min: Talk\n- 85 min: More\n- 10 min: The end", 1))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"09:00 30 A loop that works, of The loop",
		"09:30 8 The kubelet, of The loop",
		"09:38 15 1b Compare and act, of The loop",
		"09:53 20 Questions in pairs, from *What you can now explain*, of The loop",
		"10:13 60 Lunch, of The loop",
		"11:13 80 Talk, of Rolling",
		"12:33 10 a break, of Rolling",
		"12:43 85 More, of Rolling",
		"14:08 10 a break, of Rolling",
		"14:18 10 The end, of Rolling",
	}, lines)
}

func TestABreakBetweenTwoSessionsEndsTheFirst(t *testing.T) {
	lines, err := table(t, strings.Replace(day, "- 60 min break: Lunch\n", "", 1))
	require.NoError(t, err)
	assert.Equal(t, []string{"10:13 10 a break, of The loop", "10:23 15 Talk, of Rolling"}, lines[4:])
}

func TestACourseWithoutBreaksHasNone(t *testing.T) {
	lines, err := table(t, strings.Replace(day, "breaks: 10 every 80\n", "", 1))
	require.NoError(t, err)
	assert.NotContains(t, strings.Join(lines, "\n"), "a break")
}

func TestEachEveningHasItsStartAndItsEnd(t *testing.T) {
	text := strings.NewReplacer(`"09:00"`, `"18:30, 19:00"`, "minutes: 390", "minutes: 140", "## Rolling", "## Rolling {evening=2}").Replace(day)
	lines, err := table(t, text)
	require.NoError(t, err)
	assert.Equal(t, "19:00 15 Talk, of Rolling", lines[len(lines)-1])

	_, err = table(t, strings.Replace(text, "minutes: 140", "minutes: 70", 1))
	assert.EqualError(t, err, "workshop/day.md:26: over target: this ends at 19:43, and the course at 19:40")
}

func TestCoursesComeTheShortestFirst(t *testing.T) {
	dir := t.TempDir()
	courses, alone, err := course.Load(filepath.Join(dir, "none"))
	require.NoError(t, err)
	assert.Empty(t, courses)
	assert.Nil(t, alone)

	for name, minutes := range map[string]string{"a-day": "390", "hour": "60", "three-evenings": "130"} {
		text := strings.Replace(day, "390", minutes, 1)
		if name == "three-evenings" {
			text = strings.NewReplacer(`"09:00"`, `"18:30, 18:30"`, "## Rolling", "## Rolling {evening=2}").Replace(text)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".md"), []byte(text), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Bad name.md"), []byte(day), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "course.md"), []byte(single), 0o644))
	courses, alone, err = course.Load(dir)
	assert.EqualError(t, err, filepath.Join(dir, "Bad name.md")+":1: a course's file is named in small letters, digits and dashes")
	var slugs []string
	for _, c := range courses {
		slugs = append(slugs, c.Slug)
	}
	assert.Equal(t, []string{"hour", "three-evenings", "Bad name", "a-day"}, slugs)
	assert.Equal(t, "course", alone.Slug)
}
