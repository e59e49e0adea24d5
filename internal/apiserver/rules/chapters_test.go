package rules_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/apiserver/kinds"
)

// TestAChapterRefusesNothingElseAndInNoOtherWords changes each field of an object
// of each kind in turn, and asks a store with the chapters' rules and one with
// Kubernetes': new, and in the place of the object as it was.
func TestAChapterRefusesNothingElseAndInNoOtherWords(t *testing.T) {
	chapters := controlloop.CoreKinds().
		With(deployment.Kinds()...).With(rollingupdate.Kinds()...).With(statefulset.Kinds()...).
		With(storage.Kinds()...).With(daemonset.Kinds()...)
	served := kinds.Store(kinds.All())
	refused := 0
	for _, name := range names() {
		obj := decode(t, manifests[name])
		taught, err := chapters.For(obj.GetObjectKind().GroupVersionKind())
		if err != nil {
			continue // no chapter has it
		}
		if name == "PodDisruptionBudget" { // Kubernetes takes what can stand in a URL
			taught.Rules.Name = func(string, bool) []string { return nil }
		}
		theirs, err := served.For(taught.GroupVersionKind)
		require.NoError(t, err)
		old := prepared(theirs, obj)
		for what, mutant := range mutants(t, taught, old) {
			mutant = prepared(theirs, mutant)
			refused += compared(t, name+": "+what,
				taught.ValidateCreate(mutant), theirs.ValidateCreate(mutant))
			refused += compared(t, name+", changed: "+what,
				taught.ValidateUpdate(mutant, old), theirs.ValidateUpdate(mutant, old))
		}
	}
	assert.Greater(t, refused, 100, "the chapters were asked for nothing")
}

// prepared returns a copy that has been filled in.
func prepared(kind controlloop.Kind, obj controlloop.Object) controlloop.Object {
	obj = controlloop.Copy(obj)
	kind.Default(obj)
	obj.SetResourceVersion("1")
	return obj
}

// compared wants each complaint of a chapter's to be one of Kubernetes', and
// returns how many there are. Kubernetes may say more behind it, and show another
// value: its own code's form of one, or none.
func compared(t *testing.T, what string, chapter, kubernetes error) int {
	t.Helper()
	complaints := complaintsOf(chapter)
	for _, complaint := range complaints {
		if !slices.ContainsFunc(complaintsOf(kubernetes), func(theirs string) bool {
			return strings.HasPrefix(theirs, complaint)
		}) {
			assert.Fail(t, "Kubernetes does not say so", "%s\n%s\n%v",
				what, complaint, kubernetes)
		}
	}
	return len(complaints)
}

// complaintsOf returns field, kind and reason of each, without the value.
func complaintsOf(err error) (all []string) {
	if err == nil {
		return nil
	}
	for _, cause := range err.(apierrors.APIStatus).Status().Details.Causes {
		reason := value.ReplaceAllString(cause.Message, "$1: $2")
		all = append(all, fmt.Sprintf("%s: %s", cause.Field, reason))
	}
	return all
}

// value finds what a message shows of what it refuses.
var value = regexp.MustCompile(`^(Invalid value|Unsupported value): .*: ((?:supported values: )?[^:]*)`)

// mutants returns copies of an object in which one field each is another.
func mutants(t *testing.T, kind controlloop.Kind, obj controlloop.Object) map[string]controlloop.Object {
	t.Helper()
	whole, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	require.NoError(t, err)
	all := map[string]controlloop.Object{}
	eachField(whole, "", func(path string) {
		if mutant := kind.New(); runtime.DefaultUnstructuredConverter.FromUnstructured(whole, mutant) == nil {
			all[path] = controlloop.Copy(mutant)
		}
	})
	return all
}

// eachField sets each field below a value in turn to others, and calls back.
func eachField(in any, at string, call func(path string)) {
	try := func(key string, value any, set func(any), unset func()) {
		eachField(value, at+"."+key, call)
		for _, other := range []any{
			"", "Not_A_Name!", "other", "-1", "200%", int64(-1), int64(0), int64(70000),
			map[string]any{}, []any{},
		} {
			set(other)
			call(fmt.Sprintf("%s.%s=%#v", at, key, other))
		}
		unset()
		call(at + "." + key + " is gone")
		set(value)
	}
	switch in := in.(type) {
	case map[string]any:
		for key, value := range in {
			if at == "" && slices.Contains([]string{"apiVersion", "kind", "status"}, key) ||
				at == ".metadata" && key != "name" && key != "labels" && key != "annotations" {
				continue
			}
			try(key, value, func(v any) { in[key] = v }, func() { delete(in, key) })
		}
	case []any:
		for i, value := range in {
			try(fmt.Sprint(i), value, func(v any) { in[i] = v }, func() { in[i] = nil })
		}
	}
}
