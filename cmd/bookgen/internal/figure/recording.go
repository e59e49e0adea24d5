package figure

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A recording is the JSON that a run has left behind. A drawing has to account
// for every value in it.
type recording struct {
	root found
	used map[string]bool // by their places
}

// A found is a value, and its place: "nodes.2.sum".
type found struct {
	at    string
	value any // as encoding/json has it; of a group, its elements
}

func readRecording(data []byte) (*recording, error) {
	r := &recording{used: map[string]bool{}}
	return r, decode(data, &r.root.value)
}

// find returns the values at a path, and notes that they have been used. A path
// is words joined by dots: the name of a field, the index of an element, * for
// all elements of a list, and @pod for those that have a pod, as a list of
// groups, one for each pod, in order of appearance. A missing value is found,
// too: it is nil.
func (r *recording) find(path string) []found {
	all := []found{r.root}
	for word := range strings.SplitSeq(path, ".") {
		var next []found
		for _, f := range all {
			next = append(next, r.step(f, word)...)
		}
		all = next
	}
	for _, f := range all {
		r.used[f.at] = true
	}
	return all
}

// step follows one word of a path.
func (r *recording) step(f found, word string) []found {
	elements := f.elements()
	if word == "*" {
		return elements
	}
	if field, ok := strings.CutPrefix(word, "@"); ok {
		return []found{{value: r.group(elements, field)}}
	}
	if i, err := strconv.Atoi(word); err == nil && 0 <= i && i < len(elements) {
		return elements[i : i+1]
	}
	return []found{f.field(word)}
}

// elements returns the elements of a list or of a group.
func (f found) elements() (all []found) {
	list, _ := f.value.([]any)
	for i, value := range list {
		all = append(all, found{f.place(strconv.Itoa(i)), value})
	}
	if group, ok := f.value.([]found); ok {
		return group
	}
	return all
}

func (f found) field(name string) found {
	object, _ := f.value.(map[string]any)
	return found{f.place(name), object[name]}
}

func (f found) place(word string) string {
	return strings.TrimPrefix(f.at+"."+word, ".")
}

// group returns the elements that have a field, in a group for each of its
// values. To group by a field is to use it.
func (r *recording) group(elements []found, field string) (groups []found) {
	index := map[string]int{}
	for _, e := range elements {
		key := e.field(field)
		if key.text() == "" {
			continue
		}
		r.used[key.at] = true
		i, known := index[key.text()]
		if !known {
			i = len(groups)
			index[key.text()] = i
			groups = append(groups, found{value: []found(nil)})
		}
		groups[i].value = append(groups[i].value.([]found), e)
	}
	return groups
}

// text returns a value as it is written: "" if it is missing, or no single
// value.
func (f found) text() string {
	switch value := f.value.(type) {
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(value)
	}
	return ""
}

// unused returns the places of the values that nothing has used.
func (r *recording) unused() []string { return r.unusedIn(r.root) }

func (r *recording) unusedIn(f found) (all []string) {
	switch value := f.value.(type) {
	case []any:
		for _, e := range f.elements() {
			all = append(all, r.unusedIn(e)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			all = append(all, r.unusedIn(f.field(name))...)
		}
	default:
		if !r.used[f.at] {
			return []string{fmt.Sprintf("%s, %q", f.at, f.text())}
		}
	}
	return all
}
