package site_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

func TestAScheduleSaysWhoseMinutesAnExerciseHas(t *testing.T) {
	for name, c := range map[string]struct {
		people, here int
		says         string
	}{
		"a guess":              {0, 20, "a guess"},
		"measured":             {18, 20, "the median of 18 people"},
		"a guess, and longer":  {0, 30, "on its card 20 min, a guess"},
		"measured, and longer": {18, 30, "on its card 20 min, the median of 18 people"},
	} {
		t.Run(name, func(t *testing.T) {
			item := site.Item{Minutes: c.here, Task: &site.Task{Minutes: 20, People: c.people}}
			assert.Equal(t, c.says, item.Counted())
		})
	}
}

func TestAScheduleSaysWhetherAnybodyHasMeasuredIt(t *testing.T) {
	b := sample.Book()
	files, err := site.Render(b)
	require.NoError(t, err)
	const guesses = "All minutes are guesses"
	assert.Contains(t, string(files["teach/hour/index.html"]), guesses)

	b.Courses[0].Sessions[0].Items[1].Task.People = 18
	files, err = site.Render(b)
	require.NoError(t, err)
	assert.NotContains(t, string(files["teach/hour/index.html"]), guesses)
	assert.Contains(t, string(files["teach/hour/index.html"]), "the median of 18 people")
}

func TestALineOfTheScheduleLeadsToItsNoteAndItsSlide(t *testing.T) {
	files, err := site.Render(sample.Book())
	require.NoError(t, err)
	schedule := string(files["teach/hour/index.html"])
	assert.Contains(t, schedule, `<time>09:00</time> <span class="long">12 min</span>`)
	assert.Contains(t, schedule, `<a href="../../teach/hour/notes.html#1-the-naive-loop">The naive loop, and what it costs</a>`)
	assert.Contains(t, schedule, `<a href="../../teach/hour/slides.html#3">slide 3</a>`)
	assert.Contains(t, schedule, `<a href="../../01-control-loop/index.html#exercise-1b"><b>1b</b> Compare and act</a>`)
	assert.Contains(t, schedule, `<h3 id="the-queue">The queue</h3> <code>checkpoint hour:2</code>`)
	assert.Contains(t, schedule, `<small>a guess · <a href="../../teach/hour/slides.html#`)
	notes := string(files["teach/hour/notes.html"])
	assert.Contains(t, notes, `id="1-the-naive-loop"`)
	assert.Contains(t, notes, `<a href="../../teach/hour/slides.html#4">two lives</a>, slide 4`)
}

func TestACourseSaysWhatItHasToSpare(t *testing.T) {
	c := site.Course{Start: 18 * 60, Target: 60, Evenings: 2, Sessions: []site.Session{
		{Evening: 1, Items: []site.Item{{At: 18 * 60, Minutes: 40}}},
		{Evening: 2, Items: []site.Item{{At: 18 * 60, Minutes: 30}, {At: 18*60 + 30, Minutes: 23}}},
	}}
	assert.Equal(t, "7 minutes", c.Spare())
	assert.Equal(t, "2 evenings, 18:00 to 19:00", c.Times())
	c.Sessions[1].Items[1].Minutes = 30
	assert.Empty(t, c.Spare())
}

func TestTheFrontPageHasADoorForEach(t *testing.T) {
	files, err := site.Render(sample.Book())
	require.NoError(t, err)
	home := string(files["index.html"])
	for _, door := range []string{
		`To read it</small> <a href="01-control-loop/index.html">`,
		`To learn it</small> <a href="#run">`,
		`To teach with it</small> <a href="teach/index.html">`,
	} {
		assert.Equal(t, 1, strings.Count(home, door), door)
	}
	assert.Contains(t, string(files["01-control-loop/index.html"]), `<a href="../teach/index.html">To teach with it</a>`)
	assert.Contains(t, string(files["sitemap.xml"]), "/teach/hour/notes.html")
}

func TestABookWithoutCoursesHasNoPagesForThem(t *testing.T) {
	b := sample.Book()
	b.Courses = nil
	files, err := site.Render(b)
	require.NoError(t, err)
	for name, content := range files {
		assert.False(t, strings.HasPrefix(name, "teach/"), name)
		assert.NotContains(t, string(content), "teach/index.html", name)
	}
}
