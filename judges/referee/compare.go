package referee

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// difference is one between two answers.
type difference struct {
	in    string // which document, and which mutant of it
	about string // kind and request: Pod create
	where string // code, content, warning, cause FIELD, object FIELD, cell COLUMN
	lab   string
	real  string
}

// String is what patterns match.
func (d difference) String() string {
	return fmt.Sprintf("%s: %s: lab %s; Kubernetes %s", d.about, d.where, d.lab, d.real)
}

// compare returns where two answers differ. It stops at the code, if that does:
// the rest follows.
func compare(in, about string, lab, real answer) (all []difference) {
	add := func(where, lab, real string) {
		all = append(all, difference{in, about, where, lab, real})
	}
	if lab.code != real.code {
		add("code", brief(lab), brief(real))
		return all
	}
	if lab.content != real.content {
		add("content", lab.content, real.content)
	}
	apart(lab.warnings, real.warnings, func(lab, real string) { add("warning", lab, real) })
	switch {
	case lab.body["kind"] == "Table" && real.body["kind"] == "Table":
		differ(table(lab.body), table(real.body), "", add)
	case real.ok():
		differ(lab.body, real.body, "object ", add)
	default:
		refusals(lab.body, real.body, add)
	}
	return all
}

func brief(a answer) string {
	if a.ok() {
		return fmt.Sprint(a.code)
	}
	return fmt.Sprintf("%d %v", a.code, a.body["message"])
}

// refusals compares two Statuses: the causes as sets, and all else if these are
// the same.
func refusals(lab, real map[string]any, add func(where, lab, real string)) {
	same := true
	apart(causes(lab), causes(real), func(lab, real string) {
		same = false
		field, _, _ := strings.Cut(strings.TrimPrefix(max(lab, real), none), ": ")
		add("cause "+field, lab, real)
	})
	if !same {
		return
	}
	if len(causes(real)) > 1 { // in an order that is a map's
		lab, real = withoutCauses(lab), withoutCauses(real)
	}
	differ(lab, real, "", add)
}

func withoutCauses(status map[string]any) map[string]any {
	rest := maps.Clone(status)
	details, _ := rest["details"].(map[string]any)
	details = maps.Clone(details)
	delete(details, "causes")
	delete(rest, "message")
	rest["details"] = details
	return rest
}

func causes(status map[string]any) (all []string) {
	details, _ := status["details"].(map[string]any)
	list, _ := details["causes"].([]any)
	for _, c := range list {
		c, _ := c.(map[string]any)
		all = append(all, fmt.Sprintf("%v: %v: %v", c["field"], c["reason"], c["message"]))
	}
	return all
}

const none = "-"

// apart calls back for what stands in one list alone.
func apart(lab, real []string, call func(lab, real string)) {
	rest := slices.Clone(real)
	for _, said := range lab {
		if i := slices.Index(rest, said); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		} else {
			call(said, none)
		}
	}
	for _, said := range rest {
		call(none, said)
	}
}

// table returns columns and cells by the columns' names, but for ages.
func table(body map[string]any) map[string]any {
	cells := map[string]any{}
	columns, _ := body["columnDefinitions"].([]any)
	rows, _ := body["rows"].([]any)
	for i, c := range columns {
		column, _ := c.(map[string]any)
		name := fmt.Sprint(column["name"])
		cells["column "+name] = column
		for n, row := range rows {
			row, _ := row.(map[string]any)
			shown, _ := row["cells"].([]any)
			if i < len(shown) && name != "Age" {
				cells[fmt.Sprintf("cell %s of %d", name, n)] = shown[i]
			}
		}
	}
	return cells
}

// differ calls back for each field that is not the same in both.
func differ(lab, real any, at string, call func(where, lab, real string)) {
	switch l := lab.(type) {
	case map[string]any:
		if r, ok := real.(map[string]any); ok {
			keys := maps.Clone(l)
			maps.Copy(keys, r)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				below := at + key
				inLab, one := l[key]
				inReal, other := r[key]
				if one && other {
					if _, deeper := inLab.(map[string]any); deeper {
						below += "."
					}
					differ(inLab, inReal, below, call)
				} else {
					call(below, shown(inLab, one), shown(inReal, other))
				}
			}
			return
		}
	case []any:
		if r, ok := real.([]any); ok && len(l) == len(r) {
			for i := range l {
				differ(l[i], r[i], fmt.Sprintf("%s[%d].", at, i), call)
			}
			return
		}
	}
	if a, b := shown(lab, true), shown(real, true); a != b {
		call(strings.TrimSuffix(at, "."), a, b)
	}
}

func shown(value any, there bool) string {
	if !there {
		return none
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // it has been JSON
	}
	return string(text)
}
