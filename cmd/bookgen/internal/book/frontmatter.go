package book

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconcile/internal/source"
)

// frontMatter decodes the YAML between two lines of dashes into front, whose
// fields are the only keys that there may be. It returns the rest of the file
// and the number of its first line.
func frontMatter(file string, content []byte, front any) (body []byte, line int, err error) {
	if err := source.OneByteNewlines(file, content); err != nil {
		return nil, 0, err
	}
	rest, ok := bytes.CutPrefix(content, []byte("---\n"))
	if !ok {
		return nil, 0, source.At(file, 1, "the first line must be ---, and front matter follow")
	}
	head, body, ok := bytes.Cut(rest, []byte("\n---\n"))
	if !ok {
		return nil, 0, source.At(file, 1, "the front matter has no closing ---")
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
		errs = append(errs, source.At(file, line, "%s", strings.TrimPrefix(message, "yaml: ")))
	}
	return source.Join(errs...)
}

func required(file, key, value string) error {
	if value == "" {
		return source.At(file, 1, "front matter lacks %s", key)
	}
	return nil
}
