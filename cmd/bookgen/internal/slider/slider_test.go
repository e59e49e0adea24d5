package slider_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/slider"
	"reconcile/cmd/bookgen/internal/slider/chapter03"
	"reconcile/internal/kubetest"
)

// The book links no chapter, and knows a slider's form all the same.
func TestRunOfTheForms(t *testing.T) {
	forms := map[string]slider.Form{}
	for _, s := range chapter03.Sliders {
		require.NotContains(t, forms, s.Name)
		require.NoError(t, s.Check(s.Defaults()), s.Name)
		values := s.Defaults()
		maps.Copy(values, s.Never)
		_, err := s.Draw(t, values)
		require.Error(t, err)
		forms[s.Name] = slider.Form{Inputs: s.Inputs, Never: s.Never, Why: err.Error()}
	}
	kubetest.RecordedJSON(t, "../forms.json", forms)
}

func TestAFormSaysWhatEachValueIs(t *testing.T) {
	form := slider.Form{Never: map[string]string{"n": "1"}, Why: `n is "1"`, Inputs: []slider.Input{
		{Name: "n", Label: "cut <after>", Kind: "range", Min: 1, Max: 9, Default: "3"},
		{Name: "part", Label: "share", Kind: "choice", Options: []string{"1", "25%"}, Default: "25%"},
		{Name: "bad", Label: "broken", Kind: "check", Default: "on"},
	}}
	assert.Equal(t, `<form class=slider data-slider=s data-never="{&#34;n&#34;:&#34;1&#34;}" data-why="n is &#34;1&#34;" autocomplete=off>`+
		`<label>cut &lt;after&gt; <input type=range name=n min=1 max=9 value=3> <output>3</output></label>`+
		`<label>share <select name=part><option>1</option><option selected>25%</option></select></label>`+
		`<label><input type=checkbox name=bad checked> broken</label><p role=status></p></form>`, form.HTML("s"))
}

func TestOnlyValuesOfTheFormAreTaken(t *testing.T) {
	s := slider.Slider{Inputs: []slider.Input{
		{Name: "n", Kind: "range", Min: 1, Max: 9, Default: "3"},
		{Name: "part", Kind: "choice", Options: []string{"1"}, Default: "1"},
		{Name: "bad", Kind: "check"},
	}}
	require.NoError(t, s.Check(s.Defaults()))
	for name, value := range map[string]string{"n": "10", "part": "2", "bad": "off"} {
		values := s.Defaults()
		values[name] = value
		assert.EqualError(t, s.Check(values), name+` cannot be "`+value+`"`)
	}
	_, err := slider.Named("five-ways")
	assert.ErrorContains(t, err, `there is no slider "five-ways": there are four-ways`)
}
