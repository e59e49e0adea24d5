package referee

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// verbs are the words that a line of a talk begins with.
var verbs = map[string]struct{ method, content, accept string }{
	"create":    {http.MethodPost, asJSON, asJSON},
	"replace":   {http.MethodPut, asJSON, asJSON},
	"merge":     {http.MethodPatch, "application/merge-patch+json", asJSON},
	"strategic": {http.MethodPatch, "application/strategic-merge-patch+json", asJSON},
	"json":      {http.MethodPatch, "application/json-patch+json", asJSON},
	"apply":     {http.MethodPatch, "application/apply-patch+yaml", asJSON},
	"patch":     {http.MethodPatch, asJSON, asJSON},
	"delete":    {http.MethodDelete, asJSON, asJSON},
	"get":       {http.MethodGet, asJSON, asJSON},
	"table":     {http.MethodGet, asJSON, asTable},
	"partial":   {http.MethodGet, asJSON, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"},
	"partials":  {http.MethodGet, asJSON, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"},
	"yaml":      {http.MethodGet, asJSON, "application/yaml"},
	"accepting": {http.MethodGet, asJSON, "text/html"},
	"sending":   {http.MethodPost, "text/plain", asJSON},
}

// talk asks for what a text says, line by line: a verb, a path with a query, a body.
// A path without a slash before it begins with a resource of the talk's namespace. In a
// paragraph that begins with a line *with*, the object of that line is made anew before
// each of the others, and looked at after it. A line with <a|b> is two.
func (m *match) talk(ctx context.Context, f file) error {
	for paragraph := range strings.SplitSeq(f.talk, "\n\n") {
		var fresh string
		var before [2]answer
		for _, line := range lines(strings.TrimSpace(paragraph)) {
			verb, rest, _ := strings.Cut(line, " ")
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
				continue
			case line == "wait":
				time.Sleep(admissionLag)
				continue
			case verb == "with":
				fresh = rest
				continue
			}
			if err := m.say(ctx, f.name, line, fresh, &before); err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
		}
	}
	return nil
}

// lines returns those of a text, with all that stands in <a|b>.
func lines(text string) (all []string) {
	for line := range strings.SplitSeq(text, "\n") {
		before, rest, several := strings.Cut(line, "<")
		if !several {
			all = append(all, strings.TrimSpace(line))
			continue
		}
		words, after, _ := strings.Cut(rest, ">")
		for word := range strings.SplitSeq(words, "|") {
			all = append(all, lines(before+word+after)...)
		}
	}
	return all
}

// say asks for a line. Before is what has been answered last by who did it.
func (m *match) say(ctx context.Context, in, line, fresh string, before *[2]answer) error {
	path := ""
	if fresh != "" {
		var err error
		if path, *before, err = m.anew(ctx, fresh); err != nil {
			return err
		}
	}
	r, err := m.request(line)
	if err != nil {
		return err
	}
	m.lines++
	answers, err := m.judged(ctx, in, line, r, *before)
	if err != nil {
		return err
	}
	for i, a := range answers {
		if a.ok() {
			before[i] = a
		}
	}
	if fresh != "" && r.method != http.MethodGet {
		_, err = m.judged(ctx, in, line+", then get", get(path, asJSON), *before)
	}
	return err
}

// anew makes an object, in the place of what has its name, and returns its path.
func (m *match) anew(ctx context.Context, fresh string) (path string, made [2]answer, err error) {
	r, err := m.request("create " + fresh)
	if err != nil {
		return "", made, err
	}
	var obj struct{ Metadata struct{ Name string } }
	if err := yaml.Unmarshal([]byte(r.text), &obj); err != nil {
		return "", made, err
	}
	path = r.path + "/" + obj.Metadata.Name
	if err := m.remove(ctx, path); err != nil {
		return "", made, err
	}
	if made, err = m.ask(ctx, r, made); err != nil {
		return "", made, err
	}
	for _, a := range made {
		if !a.ok() {
			return "", made, fmt.Errorf("%s: %v", fresh, a.body["message"])
		}
	}
	return path, made, nil
}

// request returns what a line asks for.
func (m *match) request(line string) (request, error) {
	line = strings.ReplaceAll(line, "$namespace", m.namespace)
	verb, rest, _ := strings.Cut(line, " ")
	where, text, _ := strings.Cut(rest, " ")
	path, query, _ := strings.Cut(where, "?")
	v, known := verbs[verb]
	if !known {
		return request{}, fmt.Errorf("%s is no verb", verb)
	}
	var body any
	if text != "" && yaml.Unmarshal([]byte(text), &body) == nil {
		text = shown(body, true) // else it is sent as it is
	}
	if !strings.HasPrefix(path, "/") {
		resource, below, _ := strings.Cut(path, "/")
		k, err := m.resource(resource)
		if err != nil {
			return request{}, err
		}
		path = strings.TrimSuffix(k.path(m.namespace, "")+"/"+below, "/")
	}
	return request{v.method, path, query, v.accept, v.content, nil, text}, nil
}

// resource returns the kind of a resource: of core's, where others have it, too.
func (m *match) resource(name string) (found kind, err error) {
	for _, k := range m.kinds {
		if k.resource == name && (found.prefix == "" || k.prefix < found.prefix) {
			found = k
		}
	}
	if found.prefix == "" {
		err = fmt.Errorf("the lab has no %s", name)
	}
	return found, err
}
