package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// account names the account that lab controllers manifest makes in a namespace.
func account(home string) string { return "system:serviceaccount:" + home + ":lab-controllers" }

// grant applies the manifest of controllers without its Deployment, which it returns,
// and writes a kubeconfig of the account.
func (p *proof) grant(ctx context.Context, home string, more ...string) (d appsv1.Deployment, err error) {
	lab, err := p.command(ctx, p.folder)
	if err != nil {
		return d, err
	}
	arguments := append([]string{"controllers", "manifest", "--home", home}, more...)
	if more == nil {
		arguments = append(arguments, typed[3:]...) // to print, no word is wanted
	}
	print := exec.CommandContext(ctx, lab, arguments...)
	print.Dir, print.Stderr = p.book, p.words
	manifest, err := print.Output()
	if err != nil {
		return d, fmt.Errorf("print the manifest: %w", err)
	}
	docs := strings.Split(string(manifest), "---\n")
	last := len(docs) - 1
	if err := yaml.UnmarshalStrict([]byte(docs[last]), &d); err != nil {
		return d, err
	}
	if said, err := p.stage().kubectlIn(ctx, home, strings.Join(docs[:last], "---\n"), "apply", "-f", "-"); err != nil {
		return d, fmt.Errorf("apply the manifest: %w: %s", err, said)
	}
	token, err := p.client.CoreV1().ServiceAccounts(home).CreateToken(ctx, "lab-controllers",
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return d, err
	}
	return d, p.cluster.WriteToken(account(home), token.Status.Token)
}

// fenced runs two controllers in one namespace, with an account that has no rights
// elsewhere. The Pods of the manifest have to be such as a namespace takes that is
// restricted.
func (p *proof) fenced(ctx context.Context) (string, error) {
	const shop = "shop"
	if _, err := p.stage().run(ctx, "default", "create", "namespace", shop); err != nil {
		return "", err
	}
	fence := []string{"--controllers", "deployment,replicaset", "--namespace", shop}
	d, err := p.grant(ctx, shop, fence...)
	if err != nil {
		return "", err
	}
	ours, err := p.place.start(ctx, filepath.Dir(p.cluster.AuditLog()), "fenced.log", append([]string{
		"controllers", "--home", shop, "--kubeconfig", p.cluster.Kubeconfig(account(shop)), "--listen="}, fence...)...)
	if err != nil {
		return "", err
	}
	r, err := startRollout(ctx, p.client, shop, 3)
	if err == nil {
		err = ours.Until(ctx, patience, func() error { return says(ours, "msg=working") })
	}
	if err == nil {
		err = r.until(ctx, time.Minute, r.done)
	}
	if err == nil {
		err = r.end(ctx)
	}
	if err = errors.Join(err, ours.Stop()); err != nil {
		return "", err
	}
	return "3 of 3; the copies' Pods are taken by a namespace at the level restricted", p.restricted(ctx, shop, d)
}

// restricted creates a Pod of a Deployment in a namespace that is restricted, and has
// the server keep nothing.
func (p *proof) restricted(ctx context.Context, namespace string, d appsv1.Deployment) error {
	if _, err := p.stage().run(ctx, "default", "label", "namespace", namespace,
		"pod-security.kubernetes.io/enforce=restricted"); err != nil {
		return err
	}
	create := func(spec corev1.PodSpec) error {
		_, err := p.client.CoreV1().Pods(namespace).Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "copy"}, Spec: spec,
		}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	if err := create(corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx:1.27"}}}); err == nil {
		return errors.New("the namespace takes any Pod")
	}
	return create(d.Spec.Template.Spec)
}
