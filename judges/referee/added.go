package referee

import (
	"context"
	"maps"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// added returns the fields of metadata that are added to objects, one at a time.
func added() (fields []map[string]any, err error) {
	text, err := written.ReadFile("corpus/added/metadata.yaml")
	if err != nil {
		return nil, err
	}
	return fields, yaml.Unmarshal(text, &fields)
}

// add asks for a document with each of those fields added to its metadata, without
// keeping any: by the request that as returns, which sends the document.
func (d document) add(ctx context.Context, about string, before [2]answer, as ...request) error {
	fields, err := added()
	if err != nil {
		return err
	}
	for _, field := range fields {
		for _, r := range as {
			d.mutants++
			sent := r.body
			r.body = func(before answer) map[string]any { return with(field, sent(before)) }
			in := d.in + " with " + shown(field, true)
			if _, err := d.judged(ctx, in, d.kind+" "+about, r, before); err != nil {
				return err
			}
		}
	}
	return nil
}

// with returns a body with a field of metadata added.
func with(field, body map[string]any) map[string]any {
	metadata, _ := body["metadata"].(map[string]any)
	if metadata = maps.Clone(metadata); metadata == nil {
		metadata = map[string]any{}
	}
	maps.Copy(metadata, field)
	body = maps.Clone(body)
	body["metadata"] = metadata
	return body
}

// patched returns the requests by which a field is added to what there is: patches, and
// an apply that has nothing besides.
func (d document) patched() []request {
	patch := func(verb string, body map[string]any) request {
		v := verbs[verb]
		return request{v.method, d.path, "fieldManager=adding" + dryRun, v.accept, v.content, just(body), ""}
	}
	nothing, about := map[string]any{}, d.body["metadata"].(map[string]any)
	return []request{patch("merge", nothing), patch("strategic", nothing), patch("apply", map[string]any{
		"apiVersion": d.body["apiVersion"], "kind": d.kind, "metadata": named(about["name"].(string))["metadata"]})}
}
