package rollingupdate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	rollingupdate "reconcile/chapters/03-rolling-update"
)

func posts(surge, unavailable string, replicas int32) []int32 {
	r := &appsv1.RollingUpdateDeployment{}
	if surge != "" {
		r.MaxSurge = new(intstr.Parse(surge))
	}
	if unavailable != "" {
		r.MaxUnavailable = new(intstr.Parse(unavailable))
	}
	more, fewer := rollingupdate.FencePosts(r, replicas)
	return []int32{more, fewer}
}

//book:exercise 3a
func TestASurgeIsRoundedUpAndWhatMayBeMissingIsRoundedDown(t *testing.T) {
	for _, test := range []struct {
		surge, unavailable string
		replicas           int32
		want               []int32
	}{
		{"25%", "25%", 1, []int32{1, 0}},
		{"25%", "25%", 3, []int32{1, 0}},
		{"25%", "25%", 4, []int32{1, 1}},
		{"25%", "25%", 5, []int32{2, 1}},
		{"25%", "25%", 10, []int32{3, 2}},
		{"39%", "39%", 10, []int32{4, 3}},
		{"1%", "0", 3, []int32{1, 0}},
		{"1%", "1%", 1000, []int32{10, 10}},
		{"100%", "0", 3, []int32{3, 0}},
		{"200%", "100%", 3, []int32{6, 3}},
		{"25%", "25%", 0, []int32{0, 1}},
	} {
		assert.Equal(t, test.want, posts(test.surge, test.unavailable, test.replicas),
			"maxSurge %s and maxUnavailable %s of %d", test.surge, test.unavailable, test.replicas)
	}
}

//book:exercise 3a
func TestANumberOfPodsIsTakenAsItIs(t *testing.T) {
	assert.Equal(t, []int32{2, 1}, posts("2", "1", 10))
	assert.Equal(t, []int32{1, 0}, posts("1", "0", 10))
	assert.Equal(t, []int32{20, 10}, posts("20", "10", 3))
	assert.Equal(t, []int32{0, 3}, posts("", "39%", 10))
	assert.Equal(t, []int32{4, 0}, posts("39%", "", 10))
}

//book:exercise 3a
func TestSomethingCanAlwaysMove(t *testing.T) {
	for name, got := range map[string][]int32{
		"maxUnavailable 1% of 3":  posts("0", "1%", 3),
		"maxUnavailable 25% of 3": posts("0%", "25%", 3),
		"both 0% of nothing":      posts("0%", "0%", 0),
		"nothing said":            posts("", "", 10),
		"not even a struct":       pair(rollingupdate.FencePosts(nil, 10)),
	} {
		assert.Equal(t, []int32{0, 1}, got, "surge and unavailable, "+name)
	}
}

func pair(a, b int32) []int32 { return []int32{a, b} }
