package weave

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/snippet"
)

// quantity is a number in a sentence that was taken from a recorded run.
type quantity struct{ value, text string }

func (q *quantity) nodes(*page) node.List {
	return node.List{node.New("data", node.Attr("value", q.value), q.text)}
}

// quantity resolves a reference to a value in a JSON file and compares the
// value with the text's.
func (c *Chapter) quantity(ref book.Reference) (element, error) {
	if err := c.Exists(ref.Path); err != nil {
		return nil, err
	}
	content, err := c.Read(ref.Path)
	if err != nil {
		return nil, err
	}
	if err := c.recorded(ref.Path); err != nil {
		return nil, err
	}
	value, err := jsonAt(content, ref.Fragment)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref.Path, err)
	}
	said := ref.Text
	if number, _, hasUnit := strings.Cut(ref.Text, " "); hasUnit {
		said = number
	}
	if said != value && said != snippet.Thousands(value) && ref.Text != value {
		return nil, fmt.Errorf("the text says %s, the run says %s (%s)", ref.Text, snippet.Thousands(value), snippet.Address(ref))
	}
	return &quantity{value: value, text: ref.Text}, nil
}

// jsonAt returns the number or string at a path of keys and indexes.
func jsonAt(content []byte, path string) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "", err
	}
	for step := range strings.SplitSeq(path, ".") {
		var found bool
		switch v := value.(type) {
		case map[string]any:
			value, found = v[step]
		case []any:
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v) {
				value, found = v[i], true
			}
		}
		if !found {
			return "", fmt.Errorf("there is no %q on the path %s", step, path)
		}
	}
	switch v := value.(type) {
	case json.Number:
		return v.String(), nil
	case string:
		return v, nil
	}
	return "", fmt.Errorf("%s is no number", path)
}

func (*quantity) count(c *Counts) { c.Numbers++ }
