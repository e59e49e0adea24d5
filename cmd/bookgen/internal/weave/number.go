package weave

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
)

// quantity is a number in a sentence that was taken from a recorded run.
type quantity struct{ value, text string }

func (q *quantity) nodes(*page) node.List {
	return node.List{node.New("data", node.Attr("value", q.value), q.text)}
}

// quantity resolves a reference to a value in a JSON file and compares the
// value with the text's.
func (c *Chapter) quantity(ref book.Reference) (element, error) {
	if err := c.exists(ref.Path); err != nil {
		return nil, err
	}
	content, err := c.read(ref.Path)
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
	if said != value && said != thousands(value) && ref.Text != value {
		return nil, fmt.Errorf("the text says %s, the run says %s (%s)", ref.Text, thousands(value), address(ref))
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

// lineCount writes how many lines there are.
func lineCount(n int) string {
	if n == 1 {
		return "1 line"
	}
	return thousands(strconv.Itoa(n)) + " lines"
}

// thousands writes 1234567.5 as 1,234,567.5; it changes nothing but the digits
// before the point.
func thousands(number string) string {
	sign, rest := "", number
	if strings.HasPrefix(number, "-") {
		sign, rest = "-", number[1:]
	}
	whole, fraction, hasFraction := strings.Cut(rest, ".")
	if strings.Trim(whole, "0123456789") != "" {
		return number
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if hasFraction {
		whole += "." + fraction
	}
	return sign + whole
}
