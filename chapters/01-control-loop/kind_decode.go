package controlloop

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// Decode returns the objects in a manifest: YAML documents with --- between
// them, or JSON. It is strict: a field that the kind does not have is an error
// rather than ignored, and so is a key that occurs twice. All that is wrong in
// all documents is reported, one error a line, each with file and line.
func (k Kinds) Decode(file string, data []byte) ([]Object, error) {
	var objects []Object
	var errs []error
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	doc := document{file: file, number: 1}
	for {
		var err error
		if doc.text, err = reader.Read(); err == io.EOF {
			break
		} else if err != nil {
			return nil, problem{doc, 1, err}
		}
		obj, problems := k.decode(doc)
		slices.SortStableFunc(problems, func(a, b problem) int {
			return cmp.Compare(a.line, b.line)
		})
		for _, problem := range problems {
			errs = append(errs, problem)
		}
		if obj != nil {
			objects = append(objects, obj)
		}
		doc.number++
		doc.before += bytes.Count(doc.text, []byte("\n")) + 1 // and the ---
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return objects, nil
}

// document is one of the documents of a file.
type document struct {
	file   string
	number int // from 1
	before int // lines of the file before it
	text   []byte
}

// problem is what is wrong in a line of a document, counted from 1; 0 where
// the line is not known.
type problem struct {
	document
	line int
	err  error
}

func (p problem) Unwrap() error { return p.err }

func (p problem) Error() string {
	place := fmt.Sprintf("%s:%d: ", p.file, p.before+max(p.line, 1))
	if p.number > 1 {
		place += fmt.Sprintf("document %d: ", p.number)
	}
	return place + p.err.Error()
}

// decode returns neither object nor problems for a document of comments only.
func (k Kinds) decode(doc document) (Object, []problem) {
	// One conversion tells of keys that occur twice, the other goes on.
	_, err := yaml.YAMLToJSONStrict(doc.text)
	problems := doc.syntax(err)
	data, err := yaml.YAMLToJSON(doc.text)
	if err != nil {
		return nil, problems
	}
	var content any
	err = json.UnmarshalCaseSensitivePreserveInts(data, &content)
	if err != nil {
		return nil, append(problems, problem{doc, 1, err})
	}
	if content == nil {
		return nil, problems
	}
	kind, err := k.named(content)
	if err != nil {
		return nil, append(problems, problem{doc, 1, err})
	}
	obj := kind.New()
	unknown, err := json.UnmarshalStrict(data, obj)
	if err != nil || len(unknown) > 0 {
		return nil, append(problems, doc.misfits(kind, content)...)
	}
	if obj.GetName() == "" && obj.GetGenerateName() == "" {
		return nil, append(problems, problem{doc, doc.lines()["metadata"],
			errors.New("metadata.name: Required value: " +
				"name or generateName is required")})
	}
	return obj, problems
}

// named returns the kind that a manifest says it is of.
func (k Kinds) named(content any) (Kind, error) {
	fields, ok := content.(map[string]any)
	if !ok {
		return Kind{}, errors.New("not an object with apiVersion and kind")
	}
	apiVersion, _ := fields["apiVersion"].(string)
	kind, _ := fields["kind"].(string)
	switch {
	case apiVersion == "":
		return Kind{}, errors.New("apiVersion not set")
	case kind == "":
		return Kind{}, errors.New("kind not set")
	}
	return k.For(schema.FromAPIVersionAndKind(apiVersion, kind))
}

var yamlError = regexp.MustCompile(`line (\d+): (.*)`)

// syntax takes apart what the YAML parser says, one or several in one error.
func (d document) syntax(err error) []problem {
	if err == nil {
		return nil
	}
	var problems []problem
	for _, found := range yamlError.FindAllStringSubmatch(err.Error(), -1) {
		line, _ := strconv.Atoi(found[1])
		problems = append(problems, problem{d, line, errors.New(found[2])})
	}
	if problems == nil {
		return []problem{{d, 1, err}}
	}
	return problems
}
