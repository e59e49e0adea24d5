package controlloop

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	yamlnode "go.yaml.in/yaml/v3"
	"sigs.k8s.io/json"
)

// misfits finds every value that is no part of the kind. The decoder tells of
// the first wrong type only, and not in which element of a list. So each value
// is decoded again, alone in the objects and lists that lead to it, from the
// outermost in.
func (d document) misfits(kind Kind, content any) []problem {
	var problems []problem
	lines := d.lines()
	var try func(path string, value any, within func(any) any)
	try = func(path string, value any, within func(any) any) {
		if err := fits(kind, within(hollow(value))); err != nil {
			problems = append(problems, problem{
				d, lines[path], fmt.Errorf("%s: %w", path, err)})
			return
		}
		switch value := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				try(join(path, key), value[key],
					func(v any) any { return within(map[string]any{key: v}) })
			}
		case []any:
			for i, element := range value {
				try(fmt.Sprintf("%s[%d]", path, i), element,
					func(v any) any { return within([]any{v}) })
			}
		}
	}
	try("", content, func(v any) any { return v })
	return problems
}

// hollow is a value without what it contains.
func hollow(value any) any {
	switch value.(type) {
	case map[string]any:
		return map[string]any{}
	case []any:
		return []any{}
	}
	return value
}

func fits(kind Kind, value any) error {
	data, err := stdjson.Marshal(value)
	if err != nil {
		return err
	}
	unknown, err := json.UnmarshalStrict(data, kind.New())
	if wrong, ok := errors.AsType[*stdjson.UnmarshalTypeError](err); ok {
		return fmt.Errorf("is of type %s, must be %s", wrong.Value, wrong.Type)
	}
	if len(unknown) > 0 {
		return errors.New("unknown field")
	}
	return err
}

// lines returns the line of every field by its path, which may be
// spec.containers[0].image.
func (d document) lines() map[string]int {
	lines := map[string]int{}
	var walk func(node *yamlnode.Node, path string)
	walk = func(node *yamlnode.Node, path string) {
		for i, child := range node.Content {
			at, place := path, child
			switch node.Kind {
			case yamlnode.SequenceNode:
				at = fmt.Sprintf("%s[%d]", path, i)
			case yamlnode.MappingNode: // key, value, key, value …
				place = node.Content[i&^1]
				at = join(path, place.Value)
			}
			lines[at] = place.Line
			walk(child, at)
		}
	}
	var root yamlnode.Node
	if yamlnode.Unmarshal(d.text, &root) == nil {
		walk(&root, "")
	}
	return lines
}

func join(path, key string) string {
	return strings.TrimPrefix(path+"."+key, ".")
}
