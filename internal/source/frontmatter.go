package source

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// FrontMatter decodes the YAML between two lines of dashes into front, whose
// fields are the only keys that are allowed. It returns the rest of the file
// and the number of its first line.
func FrontMatter(file string, content []byte, front any) (body []byte, line int, err error) {
	if err := PlainText(file, content); err != nil {
		return nil, 0, err
	}
	rest, ok := bytes.CutPrefix(content, []byte("---\n"))
	if !ok {
		return nil, 0, At(file, 1, "the first line must be ---, and front matter follow")
	}
	head, body, ok := bytes.Cut(rest, []byte("\n---\n"))
	if !ok {
		return nil, 0, At(file, 1, "the front matter has no closing ---")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(head))
	decoder.KnownFields(true)
	if err := decoder.Decode(front); err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, yamlErrors(file, err)
	}
	return body, bytes.Count(head, []byte("\n")) + 4, nil
}

var (
	yamlLine     = regexp.MustCompile(`line (\d+): (.*)`)
	unknownField = regexp.MustCompile(`field (\S+) not found in type .*`)
	wrongType    = regexp.MustCompile("cannot unmarshal !!\\w+(?: (`.*`))? into (\\S+)")
)

// yamlErrors gives each of yaml's messages its line in the file, one below the
// opening dashes.
func yamlErrors(file string, err error) error {
	messages := []string{err.Error()}
	var typeError *yaml.TypeError
	if errors.As(err, &typeError) {
		messages = typeError.Errors
	}
	var errs []error
	for _, message := range messages {
		line := 1
		if m := yamlLine.FindStringSubmatch(message); m != nil {
			n, _ := strconv.Atoi(m[1]) // the expression admits digits only
			line, message = n+1, m[2]
		}
		message = unknownField.ReplaceAllString(message, "front matter has no key $1")
		if m := wrongType.FindStringSubmatch(message); m != nil {
			message = strings.TrimSpace("this needs " + wanted(m[2]) + ", not " + cmp.Or(m[1], "several values"))
		}
		errs = append(errs, At(file, line, "%s", strings.TrimPrefix(message, "yaml: ")))
	}
	return Join(errs...)
}

// wanted returns in words what kind of value a Go type asks for.
func wanted(goType string) string {
	switch {
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	case strings.HasPrefix(goType, "int"):
		return "a whole number"
	case goType == "bool":
		return "true or false"
	}
	return "a text"
}
