//go:build js

package slider

import (
	"encoding/json"
	"errors"
	"fmt"
	"syscall/js"
	"testing"
)

// request is a figure that is to be drawn.
type request struct {
	name, values string
	done         js.Value
}

// Serve draws sliders in a page's worker, for ever. It sets globalThis.drawSlider, a
// function of the slider's name, its values as JSON, and a function that it calls with
// the figure, or with null and what is wrong. Then it calls globalThis.sceneReady.
func Serve(sliders ...Slider) {
	all := map[string]Slider{}
	for _, s := range sliders {
		all[s.Name] = s
	}
	each := func(string, string) (bool, error) { return true, nil }
	testing.Main(each, []testing.InternalTest{{Name: "Page", F: func(t *testing.T) {
		requests := make(chan request, 1)
		js.Global().Set("drawSlider", js.FuncOf(func(_ js.Value, args []js.Value) any {
			requests <- request{args[0].String(), args[1].String(), args[2]}
			return nil
		}))
		js.Global().Get("sceneReady").Invoke()
		for r := range requests {
			html, err := "", errors.New("the run did not come to its end")
			t.Run(r.name, func(t *testing.T) { html, err = r.draw(t, all) })
			if err != nil {
				r.done.Invoke(nil, err.Error())
			} else {
				r.done.Invoke(html)
			}
		}
	}}}, nil, nil)
}

func (r request) draw(t *testing.T, all map[string]Slider) (string, error) {
	s, ok := all[r.name]
	if !ok {
		return "", fmt.Errorf("there is no slider %q", r.name)
	}
	var values map[string]string
	if err := json.Unmarshal([]byte(r.values), &values); err != nil {
		return "", err
	}
	if err := s.Check(values); err != nil {
		return "", err
	}
	return s.Draw(t, values)
}
