//go:build linux

package oci

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/07-mysql-cluster/oci/image"
)

// environmentOf returns the variables of a container: what comes later wins.
func environmentOf(
	p *sandbox, c *corev1.Container, image *image.Image,
) []string {
	env := []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOSTNAME=" + p.hostname,
	}
	if c.TTY {
		env = append(env, "TERM=xterm")
	}
	env = append(env, image.Env...)
	for _, v := range c.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	var last []string
	for i, v := range env {
		name, _, _ := strings.Cut(v, "=")
		again := func(w string) bool { return strings.HasPrefix(w, name+"=") }
		if !slices.ContainsFunc(env[i+1:], again) {
			last = append(last, v)
		}
	}
	return last
}
