package apiserver

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"

	"reconcile/chapters/06-daemonset/node"
	"reconcile/internal/apiserver/versions"
)

// bindings is where a Pod can be bound whose name stands in the body alone.
var bindings = corev1.SchemeGroupVersion.WithResource("bindings")

// done is the answer to an order that was followed.
func done(err error) (runtime.Object, error) {
	if err != nil {
		return nil, err
	}
	return &metav1.Status{Status: metav1.StatusSuccess}, nil
}

// binding places a Pod on a node, once and for all.
func (s *storage) binding() posted[*corev1.Binding] {
	return posted[*corev1.Binding]{
		new: func() *corev1.Binding { return &corev1.Binding{} },
		do: func(
			ctx context.Context, name string, sent *corev1.Binding, dryRun bool,
		) (runtime.Object, error) {
			if name != sent.Name {
				return nil, misnamed("Binding")
			}
			internal, err := versions.Internal(sent)
			if err != nil {
				return nil, err
			}
			errs := validation.ValidatePodBinding(internal.(*core.Binding))
			if len(errs) > 0 {
				return nil, errs.ToAggregate()
			}
			return done(s.bind(ctx, sent, dryRun))
		},
	}
}

// bind gives a Pod to its node or, in a dry run, pretends to.
func (s *storage) bind(ctx context.Context, binding *corev1.Binding, dryRun bool) error {
	if !dryRun {
		return s.store.Bind(ctx, binding)
	}
	live, err := s.store.Get(ctx, s.gvk(), s.key(ctx, binding.Name))
	if err != nil {
		return err
	}
	return s.scratch(live).Bind(ctx, binding)
}

// eviction deletes a Pod if its disruption budget can afford it.
func (s *storage) eviction() posted[*policyv1.Eviction] {
	return posted[*policyv1.Eviction]{
		new: func() *policyv1.Eviction { return &policyv1.Eviction{} },
		do: func(
			ctx context.Context, name string, sent *policyv1.Eviction, dryRun bool,
		) (runtime.Object, error) {
			if name != sent.Name {
				return nil, misnamed("Eviction")
			}
			opts := sent.DeleteOptions
			if opts == nil {
				opts = &metav1.DeleteOptions{}
			}
			if dryRun {
				opts.DryRun = []string{metav1.DryRunAll}
			}
			err := node.Evict(ctx, s.store, s.key(ctx, name), *opts)
			if err == nil && len(opts.DryRun) > 0 {
				_, _, err = s.removeNamed(ctx, name, opts)
			}
			return done(err)
		},
	}
}

func misnamed(kind string) error {
	return apierrors.NewBadRequest(
		fmt.Sprintf("name in URL does not match name in %s object", kind))
}
