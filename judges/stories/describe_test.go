package stories

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// describe returns the effect of a write: on which object, and which of its
// fields it has changed. Of kinds that are quiet a change of the status alone
// is nothing.
//
//	create Pod web-0
//	update Pod web-0: metadata.labels.app: web -> mine
//	create ControllerRevision web-799f7ff7c4, number 1
//	create VolumeAttachment disk-1@node-1, of pv-db
//	delete Pod web-0                      it is told to go
//	gone Pod web-0                        and has gone
func describe(w controlloop.Write, quiet []string) string {
	kind := w.Object.GetObjectKind().GroupVersionKind().Kind
	what := kind + " " + w.Object.GetName()
	if r, ok := w.Object.(*appsv1.ControllerRevision); ok && w.Type == watch.Added {
		what += fmt.Sprintf(", number %d", r.Revision)
	}
	if at, ok := w.Object.(*storagev1.VolumeAttachment); ok && w.Type == watch.Added {
		what += ", of " + *at.Spec.Source.PersistentVolumeName
	}
	switch {
	case w.Type == watch.Added:
		return "create " + what
	case w.Type == watch.Deleted:
		return "gone " + what
	case w.Old.GetDeletionTimestamp() == nil && w.Object.GetDeletionTimestamp() != nil:
		return "delete " + what
	}
	verb, changes := changesIn(w)
	if verb == "status" && slices.Contains(quiet, kind) {
		return ""
	}
	return fmt.Sprintf("%s %s: %s", verb, what, strings.Join(changes, ", "))
}

// changesIn returns the fields that a write has changed, by path: the status
// alone, or more.
func changesIn(w controlloop.Write) (verb string, changes []string) {
	was, is := leaves(w.Old), leaves(w.Object)
	for path := range was {
		if _, kept := is[path]; !kept {
			is[path] = "none"
		}
	}
	verb = "status"
	for _, path := range slices.Sorted(maps.Keys(is)) {
		old, had := was[path]
		if old == is[path] {
			continue
		}
		if !strings.HasPrefix(path, "status.") {
			verb = "update"
		}
		if !had {
			old = "none"
		}
		changes = append(changes, fmt.Sprintf("%s: %s -> %s", path, old, is[path]))
	}
	return verb, changes
}

// Fields that differ from run to run, or are the server's to fill
// in, are of no interest.
var (
	servers = regexp.MustCompile(
		`^(apiVersion|kind|metadata\.(resourceVersion|generation|managedFields.*))$`)
	stamps = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:]+Z`)
	whole  = regexp.MustCompile(`(claimRef|(ownerReferences|conditions|taints|volumesAttached)\[\d+\])$`)
	uids   = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
)

// leaves returns the values in an object, by their paths.
func leaves(obj controlloop.Object) map[string]string {
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		panic(err)
	}
	found := map[string]string{}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			if whole.MatchString(path) {
				found[path] = inOneLine(value)
				return
			}
			for name, below := range value {
				walk(strings.TrimPrefix(path+"."+name, "."), below)
			}
		case []any:
			for n, below := range value {
				walk(fmt.Sprintf("%s[%d]", path, n), below)
			}
		default:
			if text := fmt.Sprint(value); !servers.MatchString(path) {
				text = stamps.ReplaceAllString(text, "(time)")
				found[path] = uids.ReplaceAllString(text, "(uid)")
			}
		}
	}
	walk("", tree)
	return found
}

// inOneLine returns the contents of a small object; versions, uids and times
// have no value that would be the same again.
func inOneLine(fields map[string]any) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch value := fields[name]; {
		case value == nil:
		case name == "uid" || name == "resourceVersion" || name == "timeAdded" || strings.HasSuffix(name, "Time"):
			words = append(words, name)
		default:
			words = append(words, fmt.Sprintf("%s=%v", name, value))
		}
	}
	return "{" + strings.Join(words, " ") + "}"
}
