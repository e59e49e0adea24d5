package referee

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// match is the lab's server beside Kubernetes'.
type match struct {
	servers [2]server // the lab's, Kubernetes'
	kinds   map[schema.GroupVersionKind]kind
	found   []difference

	namespace                    string // of the file that is being played
	documents, mutants, requests int
}

func newMatch(ctx context.Context, opts Options) (*match, error) {
	lab, err := newServer(opts.Lab)
	if err != nil {
		return nil, err
	}
	real, err := newServer(opts.Real)
	if err != nil {
		return nil, err
	}
	kinds, err := kindsOf(opts.Lab)
	m := &match{servers: [2]server{lab, real}, kinds: kinds}
	if err != nil {
		return nil, err
	}
	return m, m.remove(ctx, "/apis/storage.k8s.io/v1/storageclasses/standard") // with which a lab begins
}

// ask asks both; before is what each has said of the object.
func (m *match) ask(ctx context.Context, r request, before [2]answer) (answers [2]answer, err error) {
	m.requests++
	var errs [2]error
	var both sync.WaitGroup
	for i, s := range m.servers {
		both.Go(func() { answers[i], errs[i] = s.ask(ctx, r, before[i]) })
	}
	both.Wait()
	return answers, errors.Join(errs[:]...)
}

// judged asks both, and notes where they differ.
func (m *match) judged(
	ctx context.Context, in, about string, r request, before [2]answer,
) (answers [2]answer, err error) {
	if answers, err = m.ask(ctx, r, before); err == nil {
		m.found = append(m.found, compare(in, about, answers[0], answers[1])...)
	}
	return answers, err
}

func create(path, query string, body map[string]any) request {
	return request{http.MethodPost, path, "fieldManager=referee&fieldValidation=Strict" + query, asJSON, asJSON, just(body)}
}

func update(path, query string, body func(answer) map[string]any) request {
	return request{http.MethodPut, path, "fieldManager=referee&fieldValidation=Warn" + query, asJSON, asJSON, body}
}

func get(path, accept string) request {
	return request{http.MethodGet, path, "", accept, asJSON, nil}
}

const dryRun = "&dryRun=All"

var dots = strings.NewReplacer("/", "-", ".", "-", "_", "-")

// play takes each document of a file through its life, and deletes them all in
// the end.
func (m *match) play(ctx context.Context, f file) error {
	m.namespace = strings.ToLower(dots.Replace(f.name))
	m.namespace = strings.Trim(m.namespace[:min(len(m.namespace), 63)], "-")
	if err := m.prepare(ctx); err != nil {
		return err
	}
	var made []string
	for n, doc := range f.documents {
		d, err := m.document(fmt.Sprintf("%s#%d", f.name, n), doc)
		if err != nil {
			return err
		}
		if f.mutated {
			if err := d.mutate(ctx, "create, mutated", [2]answer{}, func(body map[string]any) request {
				return create(d.collection, dryRun, body)
			}); err != nil {
				return err
			}
		}
		if err := d.live(ctx, f.mutated); err != nil {
			return err
		}
		made = append(made, d.path)
	}
	for _, path := range slices.Backward(made) {
		if err := m.remove(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes a namespace, with the account that a controller would make in it. It
// has no token to mount, as no account of the lab's has.
func (m *match) prepare(ctx context.Context) error {
	for _, r := range []request{
		create("/api/v1/namespaces", "", named(m.namespace)),
		create("/api/v1/namespaces/"+m.namespace+"/serviceaccounts", "", map[string]any{
			"metadata": map[string]any{"name": "default"}, "automountServiceAccountToken": false}),
	} {
		answers, err := m.ask(ctx, r, [2]answer{})
		if err != nil {
			return err
		}
		for _, a := range answers {
			if !a.ok() {
				return fmt.Errorf("%s: %v", r.path, a.body["message"])
			}
		}
	}
	return nil
}

func named(name string) map[string]any {
	return map[string]any{"metadata": map[string]any{"name": name}}
}

// remove deletes what both have, without anybody's leave.
func (m *match) remove(ctx context.Context, path string) error {
	free := request{http.MethodPatch, path, "", asJSON, "application/merge-patch+json",
		just(map[string]any{"metadata": map[string]any{"finalizers": nil}})}
	gone := request{http.MethodDelete, path, "gracePeriodSeconds=0", asJSON, asJSON, nil}
	for _, r := range []request{free, gone} {
		if _, err := m.ask(ctx, r, [2]answer{}); err != nil {
			return err
		}
	}
	return nil
}

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
	d.note(about, made)
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

func (d document) note(about string, answers [2]answer) {
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
	}
	label := map[string]any{"metadata": map[string]any{"labels": map[string]any{"seen": "by-the-referee"}}}
	_, err = d.judged(ctx, d.in, d.kind+" patch", request{http.MethodPatch, d.path,
		"fieldManager=referee&fieldValidation=Strict", asJSON, "application/strategic-merge-patch+json",
		just(label)}, now)
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
