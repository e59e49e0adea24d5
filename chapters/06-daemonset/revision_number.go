package daemonset

import (
	"bytes"

	appsv1 "k8s.io/api/apps/v1"
)

// lookUp returns the revision with this data, nil if there is none, and the number
// that it is to have: above that of every other. All are sorted, the lowest number
// first.
//
//	1: nginx:1.26, 2: nginx:1.27   and now nginx:1.27: the second, 2 as before
//	1: nginx:1.26, 2: nginx:1.27   and now nginx:1.26: the first, and it gets 3
//	1: nginx:1.26, 2: nginx:1.27   and now nginx:1.28: none, and it gets 3
//
//book:exercise 6h
func lookUp(
	all []*appsv1.ControllerRevision, data []byte,
) (same *appsv1.ControllerRevision, number int64) {
	for _, r := range all {
		if bytes.Equal(r.Data.Raw, data) {
			same = r
		} else {
			number = max(number, r.Revision)
		}
	}
	if same != nil && same.Revision > number {
		return same, same.Revision
	}
	return same, number + 1
}
