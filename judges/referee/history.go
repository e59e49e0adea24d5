package referee

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// document is one of the corpus, in its namespace.
type document struct {
	*match
	in, kind         string
	collection, path string
	body             map[string]any // without its status
	status           any
	hasStatus        bool
}

func (m *match) document(in string, doc map[string]any) (document, error) {
	m.documents++
	k := m.kinds[gvkOf(doc)]
	obj := unstructured.Unstructured{Object: doc}
	if spec, ok := doc["spec"].(map[string]any); ok && obj.GetKind() == "Pod" {
		spec["schedulerName"] = "nobody" // a lab's scheduler comes with it
	}
	if k.namespaced {
		obj.SetNamespace(m.namespace)
	}
	if obj.GetName() == "" {
		return document{}, fmt.Errorf("%s has no name", in)
	}
	d := document{
		match: m, in: in, kind: obj.GetKind(), body: maps.Clone(doc), status: doc["status"],
		collection: k.path(m.namespace, ""), path: k.path(m.namespace, obj.GetName()),
		hasStatus: k.hasStatus,
	}
	if k.hasStatus {
		delete(d.body, "status")
	}
	return d, nil
}

// live creates a document, or puts it in the place of what has its name already,
// and asks for all that can be seen of it; then for its status, and a small update.
func (d document) live(ctx context.Context, mutated bool) error {
	made, err := d.ask(ctx, create(d.collection, "", d.body), [2]answer{})
	if err != nil {
		return err
	}
	about := "create"
	if made[0].code == http.StatusConflict && made[1].code == http.StatusConflict {
		about = "update"
		if made, err = d.ask(ctx, update(d.path, "", just(d.body)), [2]answer{}); err != nil {
			return err
		}
	}
	d.compareAnswers(about, made)
	if !made[0].ok() || !made[1].ok() {
		return nil
	}
	if slices.Contains([]string{"LimitRange", "ResourceQuota", "PriorityClass", "StorageClass"}, d.kind) {
		time.Sleep(admissionLag)
	}
	for _, accept := range []string{asJSON, asTable} {
		if _, err := d.judged(ctx, d.in, d.kind+" "+seen[accept], get(d.path, accept), made); err != nil {
			return err
		}
	}
	if err := d.report(ctx, mutated); err != nil {
		return err
	}
	return d.change(ctx, mutated)
}

// admissionLag is how long kube-apiserver's admission may take to learn of an
// object that it decides by: its watches tell it, and nothing tells us.
const admissionLag = 300 * time.Millisecond

var seen = map[string]string{asJSON: "get", asTable: "table"}

func (d document) compareAnswers(about string, answers [2]answer) {
	d.found = append(d.found, compare(d.in, d.kind+" "+about, answers[0], answers[1])...)
}

// report writes the document's status, if it has one, and asks for the table; then
// each mutant of the status.
func (d document) report(ctx context.Context, mutated bool) error {
	if !d.hasStatus || d.status == nil {
		return nil
	}
	status := runtime.DeepCopyJSONValue(d.status)
	write := func(in, about string) error {
		now, err := d.ask(ctx, get(d.path, asJSON), [2]answer{})
		if err != nil {
			return err
		}
		r := update(d.path+"/status", "", withStatus(status))
		if _, err := d.judged(ctx, in, d.kind+" "+about, r, now); err != nil {
			return err
		}
		_, err = d.judged(ctx, in, d.kind+" table", get(d.path, asTable), now)
		return err
	}
	if err := write(d.in, "status"); err != nil || !mutated {
		return err
	}
	return mutants(map[string]any{"of": status}, "", func(what string) error {
		d.mutants++
		return write(d.in+", status"+what, "status, mutated")
	})
}

// change puts the document in its own place, without a version and mutated; then it
// gets a label.
func (d document) change(ctx context.Context, mutated bool) error {
	now, err := d.ask(ctx, get(d.path, asJSON), [2]answer{})
	if err != nil {
		return err
	}
	for _, r := range []request{
		update(d.path, dryRun, just(d.body)), update(d.path, dryRun, versioned(d.body)),
	} {
		if _, err := d.judged(ctx, d.in, d.kind+" update", r, now); err != nil {
			return err
		}
	}
	if mutated {
		if err := d.mutate(ctx, "update, mutated", now, d.changed); err != nil {
			return err
		}
		if err := d.add(ctx, "update, added", now, d.changed(d.body)); err != nil {
			return err
		}
		if err := d.add(ctx, "patch, added", now, d.patched()...); err != nil {
			return err
		}
	}
	label := map[string]any{"metadata": map[string]any{"labels": map[string]any{"seen": "by-the-referee"}}}
	_, err = d.judged(ctx, d.in, d.kind+" patch", request{http.MethodPatch, d.path,
		"fieldManager=referee&fieldValidation=Strict", asJSON, "application/strategic-merge-patch+json",
		just(label), ""}, now)
	return err
}

// changed returns a request for what there is to become a mutant. A Pod or a Job cannot
// be replaced by what it was made of, for its spec has been filled in.
func (d document) changed(body map[string]any) request {
	if d.kind == "Pod" || d.kind == "Job" {
		return update(d.path, dryRun, completed(body))
	}
	return update(d.path, dryRun, versioned(body))
}

// mutate asks for each mutant of a document, without keeping any.
func (d document) mutate(
	ctx context.Context, about string, before [2]answer, as func(body map[string]any) request,
) error {
	body := runtime.DeepCopyJSON(d.body)
	return mutants(body, "", func(what string) error {
		d.mutants++
		_, err := d.judged(ctx, d.in+what, d.kind+" "+about, as(body), before)
		return err
	})
}

func gvkOf(doc map[string]any) schema.GroupVersionKind {
	obj := unstructured.Unstructured{Object: doc}
	return obj.GroupVersionKind()
}

func sortedKeys(of map[string]any) []string { return slices.Sorted(maps.Keys(of)) }
