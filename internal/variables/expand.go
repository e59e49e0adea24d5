package variables

import "strings"

func (r resolver) expandAll(all []string) (expanded []string) {
	for _, s := range all {
		expanded = append(expanded, r.expand(s))
	}
	return expanded
}

// expand replaces each $(NAME) that is known, and each $$ by one dollar
// (Kubernetes: third_party/forked/golang/expansion).
func (r resolver) expand(s string) string {
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
			value, ok := r.known[s[2:end]]
			if !ok {
				value = s[:end+1]
			}
			out.WriteString(value)
			s = s[end+1:]
		}
	}
	return out.String() + s
}
