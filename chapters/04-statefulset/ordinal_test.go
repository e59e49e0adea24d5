package statefulset_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	statefulset "reconcile/chapters/04-statefulset"
)

// A name is an ordinal only if it is the one that the set would give it.
//
//book:exercise 4a
func TestAnOrdinalIsWhatTheNameEndsWith(t *testing.T) {
	for name, want := range map[string]int{
		"web-0": 0, "web-7": 7, "web-12": 12, "web-2147483647": 2147483647,
	} {
		got, ok := statefulset.OrdinalOf(web(3), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}})
		assert.True(t, ok, "%s has an ordinal", name)
		assert.Equal(t, want, got, name)
	}
	set := web(3)
	set.Name = "web-1"
	got, ok := statefulset.OrdinalOf(set, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-1-2"}})
	assert.True(t, ok, "web-1-2 is one of web-1's")
	assert.Equal(t, 2, got, "web-1-2 of web-1")
}

// A Pod with a name that the set would not give is a stranger.
//
//book:exercise 4a
func TestANameThatTheSetWouldNotGiveHasNoOrdinal(t *testing.T) {
	strangers := []string{
		"web", "web-", "web-x", "web-01", "web--1", "web-+1", "web-1-2", "db-0",
		"webb-0", "my-web-0", "web-2147483648", "0", "-0", "",
	}
	named := 0
	for _, name := range append(strangers, "web-1") {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if n, ok := statefulset.OrdinalOf(web(3), pod); ok {
			named++
			assert.Equal(t, "web-1", name, "has ordinal %d", n)
		}
	}
	assert.Equal(t, 1, named, "web-1 is one of the set's")
}
