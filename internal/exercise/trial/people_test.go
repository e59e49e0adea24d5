package trial

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestValuesStandAsPeopleWriteThem(t *testing.T) {
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web",
		UID: "132fa386-175e-4502-b82a-4206d3b9dfa8", ResourceVersion: "29", Labels: map[string]string{"a": "b"}}}
	bare := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "r1"}}
	for text, want := range map[string]string{
		fmt.Sprintf("wanted %#v", []time.Duration{time.Minute, 1500 * time.Millisecond}):                                          "wanted {1m0s, 1.5s}",
		fmt.Sprintf("Should be empty, but was [%v %v]", rs, bare):                                                                 "Should be empty, but was [ReplicaSet shop/web ReplicaSet r1]",
		`elements differ extra elements in list A: ([]interface {}) (len=1) { (string) (len=1) "d" } listA: ([]string) (len=2) {`: `elements differ, missing: { "d" }`,
		`elements differ extra elements in list B: ([]interface {}) (len=1) { (string) (len=1) "d" }`:                             `elements differ, too many: { "d" }`,
		`(map[string]string) (len=1) { (string) (len=3) "a.b": (string) (len=1) "c" }`:                                            `{ "a.b": "c" }`,
		"Expected nil, but got: (func())(0xfa4ee0)":                                                                               "Expected nil, but got: a pointer",
		"owner 0xc00012a4 of two":                          "owner a pointer of two",
		"wanted (*int32)(0xc00012a4), got nothing":         "wanted a pointer, got nothing",
		"a Pod (of two) is kept: wanted []int32{8}, got x": "a Pod (of two) is kept: wanted []int32{8}, got x",
	} {
		assert.Equal(t, want, Short(text))
	}
}
