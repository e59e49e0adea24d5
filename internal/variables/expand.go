package variables

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

func (r resolver) expandAll(all []string) (expanded []string) {
	for _, s := range all {
		expanded = append(expanded, r.expand(s))
	}
	return expanded
}

// place says which part of a volume is mounted, where variables do.
func (r resolver) place(mount *corev1.VolumeMount) error {
	if mount.SubPathExpr == "" {
		return nil
	}
	missing := sets.New[string]()
	mount.SubPath = expand(mount.SubPathExpr, func(name string) (string, bool) {
		value := r.known[name]
		if value == "" {
			missing.Insert(name)
		}
		return value, true
	})
	mount.SubPathExpr = ""
	if len(missing) > 0 {
		return fmt.Errorf("missing value for %s",
			strings.Join(sets.List(missing), ", "))
	}
	return nil
}

// expand replaces each $(NAME) that is known.
func (r resolver) expand(s string) string {
	return expand(s, func(name string) (string, bool) {
		if value, ok := r.known[name]; ok {
			return value, true
		}
		value, ok := r.links[name]
		return value, ok
	})
}

// expand replaces each $(NAME) that is known, and each $$ by one dollar
// (Kubernetes: third_party/forked/golang/expansion).
func expand(s string, known func(name string) (string, bool)) string {
	var out strings.Builder
	for s != "" {
		at := strings.IndexByte(s, '$')
		if at < 0 || at == len(s)-1 {
			break
		}
		out.WriteString(s[:at])
		s = s[at:]
		end := strings.IndexByte(s, ')')
		switch {
		case s[1] == '$':
			out.WriteByte('$')
			s = s[2:]
		case s[1] != '(' || end < 0:
			out.WriteString(s[:2])
			s = s[2:]
		default:
			value, ok := known(s[2:end])
			if !ok {
				value = s[:end+1]
			}
			out.WriteString(value)
			s = s[end+1:]
		}
	}
	return out.String() + s
}
