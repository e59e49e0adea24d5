package manager

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconcile/internal/apiserver/discovery"
)

// reach reports whether the server is there, and lets us do what is needed.
func (m *manager) reach(ctx context.Context) error {
	version, err := again(ctx, m.api.Discovery().ServerVersion)
	var network net.Error
	if errors.As(err, &network) {
		return fmt.Errorf("no server answers at %s: %w", m.Config.Host, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.Config.Host, err)
	}
	m.Log.Info("reached", "server", m.Config.Host, "version", version.GitVersion)
	m.isLab = strings.HasSuffix(version.GitVersion, discovery.Suffix)
	for _, check := range []func(context.Context) error{m.placed, m.served, m.permitted} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return nil
}

// placed returns an error that names a namespace of the flags that is not there.
// A user who may not look has the rights of others to fail by.
func (m *manager) placed(ctx context.Context) error {
	places := map[string]string{"--namespace": m.Namespace, "--home": m.Home}
	if m.DryRun {
		delete(places, "--home")
	}
	for _, flag := range []string{"--namespace", "--home"} {
		name := places[flag]
		if name == "" {
			continue
		}
		_, err := again(ctx, func() (*corev1.Namespace, error) {
			return m.api.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		})
		if apierrors.IsNotFound(err) {
			return fmt.Errorf("there is no namespace %s: create it, or give another %s", name, flag)
		}
		if err != nil && !apierrors.IsForbidden(err) {
			return fmt.Errorf("look for the namespace %s: %w", name, err)
		}
	}
	return nil
}

// served returns an error that names the kinds that the chosen controllers need and
// the server does not have: a list of one would be tried again for ever.
func (m *manager) served(ctx context.Context) error {
	var missing []string
	has := map[schema.GroupVersion][]string{}
	for _, kind := range m.kinds.All() {
		var need []string
		for _, name := range m.names() {
			if slices.ContainsFunc(needs[name].rights, func(r right) bool { return r.resource == nameOf(kind) }) {
				need = append(need, name)
			}
		}
		if len(need) == 0 {
			continue
		}
		group := kind.GroupVersion()
		if _, asked := has[group]; !asked {
			var err error
			if has[group], err = m.resources(ctx, group); err != nil {
				return fmt.Errorf("ask which kinds there are of %s: %w", group, err)
			}
		}
		if !slices.Contains(has[group], kind.Resource) {
			missing = append(missing, fmt.Sprintf("%s of %s, for %s", kind.Resource, group, strings.Join(need, ", ")))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("the server does not have:\n  %s\nHave kube-apiserver serve them (--runtime-config), "+
		"or leave these controllers out of --controllers", strings.Join(missing, "\n  "))
}

// resources returns the names of what a server has of a group's version.
func (m *manager) resources(ctx context.Context, group schema.GroupVersion) (names []string, err error) {
	list, err := again(ctx, func() (*metav1.APIResourceList, error) {
		return m.api.Discovery().ServerResourcesForGroupVersion(group.String())
	})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, resource := range list.APIResources {
		names = append(names, resource.Name)
	}
	return names, nil
}

// permitted returns an error that names what the user of the kubeconfig may not do
// of what is needed.
func (m *manager) permitted(ctx context.Context) error {
	var (
		asking sync.WaitGroup
		mu     sync.Mutex
		denied []string
		failed error
	)
	ask := func(r right, namespace string) {
		group, name, sub := r.split()
		review := &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Namespace: namespace, Verb: r.verb, Group: group,
					Resource: name, Subresource: sub,
				},
			},
		}
		answer, err := again(ctx, func() (*authorizationv1.SelfSubjectAccessReview, error) {
			return m.api.AuthorizationV1().SelfSubjectAccessReviews().Create(
				ctx, review, metav1.CreateOptions{})
		})
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			failed = err
		} else if !answer.Status.Allowed {
			denied = append(denied, fmt.Sprintf("%s %s", r.verb, r.resource))
		}
	}
	for _, r := range m.rights() {
		namespace := ""
		if m.namespaced(r) {
			namespace = m.Namespace
		}
		asking.Go(func() { ask(r, namespace) })
	}
	if !m.DryRun {
		for _, r := range m.electing() {
			asking.Go(func() { ask(r, m.Home) })
		}
	}
	asking.Wait()
	if failed != nil {
		return fmt.Errorf("ask what we may do: %w", failed)
	}
	if len(denied) > 0 {
		slices.Sort(denied)
		return fmt.Errorf("the user of the kubeconfig may not:\n  %s\n"+
			"lab controllers manifest prints the rules that it needs",
			strings.Join(slices.Compact(denied), "\n  "))
	}
	return nil
}
