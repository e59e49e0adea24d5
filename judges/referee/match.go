package referee

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// match is the lab's server beside Kubernetes'.
type match struct {
	servers [2]server // the lab's, Kubernetes'
	kinds   map[schema.GroupVersionKind]kind
	found   []difference

	namespace                           string // of the file that is being played
	documents, mutants, lines, requests int
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
	return request{http.MethodPost, path, "fieldManager=referee&fieldValidation=Strict" + query, asJSON, asJSON, just(body), ""}
}

func update(path, query string, body func(answer) map[string]any) request {
	return request{http.MethodPut, path, "fieldManager=referee&fieldValidation=Warn" + query, asJSON, asJSON, body, ""}
}

func get(path, accept string) request {
	return request{http.MethodGet, path, "", accept, asJSON, nil, ""}
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
	if f.talk != "" {
		return m.talk(ctx, f)
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
			if err := d.add(ctx, "create, added", [2]answer{}, create(d.collection, dryRun, d.body)); err != nil {
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
		just(map[string]any{"metadata": map[string]any{"finalizers": nil}}), ""}
	gone := request{http.MethodDelete, path, "gracePeriodSeconds=0", asJSON, asJSON, nil, ""}
	for _, r := range []request{free, gone} {
		if _, err := m.ask(ctx, r, [2]answer{}); err != nil {
			return err
		}
	}
	return nil
}
