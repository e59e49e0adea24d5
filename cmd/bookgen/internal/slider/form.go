package slider

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
)

//go:embed forms.json
var recorded []byte

// Form is a slider as a page has it.
type Form struct {
	Inputs []Input           `json:"inputs"`
	Never  map[string]string `json:"never"`
	Why    string            `json:"why"` // these are refused
}

// Forms returns those of all sliders, by name.
func Forms() map[string]Form {
	var all map[string]Form
	if err := json.Unmarshal(recorded, &all); err != nil {
		panic(err) // a test has written it
	}
	return all
}

// Named returns the form of a slider.
func Named(name string) (Form, error) {
	all := Forms()
	form, ok := all[name]
	if !ok {
		return form, fmt.Errorf("there is no slider %q: there are %s", name, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
	}
	return form, nil
}

// HTML returns the form of a slider of that name.
func (f Form) HTML(name string) string {
	var b strings.Builder
	never, _ := json.Marshal(f.Never) // strings
	fmt.Fprintf(&b, `<form class=slider data-slider=%s data-never="%s" data-why="%s" autocomplete=off>`,
		name, html.EscapeString(string(never)), html.EscapeString(f.Why))
	for _, in := range f.Inputs {
		label := html.EscapeString(in.Label)
		switch in.Kind {
		case "range":
			fmt.Fprintf(&b, `<label>%s <input type=range name=%s min=%d max=%d value=%s> <output>%[5]s</output></label>`,
				label, in.Name, in.Min, in.Max, in.Default)
		case "choice":
			fmt.Fprintf(&b, `<label>%s <select name=%s>`, label, in.Name)
			for _, option := range in.Options {
				selected := ""
				if option == in.Default {
					selected = " selected"
				}
				fmt.Fprintf(&b, `<option%s>%s</option>`, selected, html.EscapeString(option))
			}
			b.WriteString(`</select></label>`)
		case "check":
			checked := ""
			if in.Default == "on" {
				checked = " checked"
			}
			fmt.Fprintf(&b, `<label><input type=checkbox name=%s%s> %s</label>`, in.Name, checked, label)
		}
	}
	b.WriteString(`<p role=status></p></form>`)
	return b.String()
}
