package apiserver

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// path is the path of a URL, taken apart at its slashes.
type path []string

func pathOf(url string) path {
	return path(strings.Split(strings.Trim(url, "/"), "/"))
}

func (p path) first() string { return p[0] }

func (p path) isHealth() bool {
	return slices.Contains([]string{"healthz", "livez", "readyz"}, p.first())
}

// isDiscovery reports whether p is /version, /api, /apis, or a list of what is
// served under a group, down to a version.
func (p path) isDiscovery() bool {
	switch p.first() {
	case "version", "api":
		return len(p) <= 2
	case "apis":
		return len(p) <= 3
	}
	return false
}

// place is the meaning of a path under a version of a group.
type place struct {
	gvr         schema.GroupVersionResource
	namespace   string
	name        string // "": the collection
	subresource string
	below       string // the path behind proxy: "/index.html"
	watched     bool   // in the old way to ask for a watch
}

// place reads
//
//	/api/v1/… or /apis/GROUP/VERSION/…, then
//	[watch/][namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]]
//
// and reports whether that is what p is. Below proxy there may be anything.
func (p path) place() (place, bool) {
	var at place
	var version schema.GroupVersion
	switch {
	case p.first() == "api" && len(p) > 2:
		version, p = schema.GroupVersion{Version: p[1]}, p[2:]
	case p.first() == "apis" && len(p) > 3:
		version, p = schema.GroupVersion{Group: p[1], Version: p[2]}, p[3:]
	default:
		return at, false
	}
	at.gvr = version.WithResource("")
	if at.watched = p.first() == "watch" && len(p) > 1; at.watched {
		p = p[1:]
	}
	if p.isNamespaced() {
		at.namespace, p = p[1], p[2:]
	}
	if len(p) > 3 && p[2] == "proxy" {
		at.below, p = "/"+strings.Join(p[3:], "/"), p[:3]
	}
	if len(p) > 3 || slices.Contains(p, "") {
		return at, false
	}
	parts := append(slices.Clone(p), "", "")
	at.gvr = version.WithResource(parts[0])
	at.name, at.subresource = parts[1], parts[2]
	return at, true
}

// isNamespaced tells namespaces/x/pods from namespaces/x/status, which is about
// the namespace itself.
func (p path) isNamespaced() bool {
	return len(p) > 2 && p[0] == "namespaces" &&
		(len(p) > 3 || p[2] != "status" && p[2] != "finalize")
}
