package daemonset_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

type (
	requirement = corev1.NodeSelectorRequirement
	nodeTerm    = corev1.NodeSelectorTerm
)

func rule(key string, op corev1.NodeSelectorOperator, values ...string) requirement {
	return requirement{Key: key, Operator: op, Values: values}
}

const (
	in        = corev1.NodeSelectorOpIn
	notIn     = corev1.NodeSelectorOpNotIn
	is        = corev1.NodeSelectorOpExists
	isNot     = corev1.NodeSelectorOpDoesNotExist
	above     = corev1.NodeSelectorOpGt
	below     = corev1.NodeSelectorOpLt
	nameField = "metadata.name"
)

// The node is called a; its disk is an SSD, and it has eight cores.
func a() *corev1.Node { return host("a", hostWith("disk", "ssd"), hostWith("cores", "8")) }

func TestARequirementHoldsForALabel(t *testing.T) {
	for name, given := range map[string]struct {
		says  requirement
		holds bool
	}{
		"one of":                 {rule("disk", in, "nvme", "ssd"), true},
		"none of":                {rule("disk", in, "nvme", "hdd"), false},
		"one of, and none there": {rule("gpu", in, "a100"), false},
		"not one of":             {rule("disk", notIn, "hdd"), true},
		"one that it is not":     {rule("disk", notIn, "hdd", "ssd"), false},
		"there":                  {rule("disk", is), true},
		"not there":              {rule("gpu", is), false},
		"absent":                 {rule("gpu", isNot), true},
		"not absent":             {rule("disk", isNot), false},
		"unknown":                {rule("disk", "Like", "ssd"), false},
	} {
		assert.Equal(t, given.holds, daemonset.Matches(
			&nodeTerm{MatchExpressions: []requirement{given.says}}, a()), name)
	}
}

// What is not there is in no list, not even in one of what is not wanted.
func TestALabelThatIsMissingIsNotOneOfThose(t *testing.T) {
	assert.True(t, daemonset.Matches(
		&nodeTerm{MatchExpressions: []requirement{rule("gpu", notIn, "a100")}}, a()))
	empty := host("a", hostWith("gpu", ""))
	assert.False(t, daemonset.Matches(
		&nodeTerm{MatchExpressions: []requirement{rule("gpu", isNot)}}, empty),
		"an empty value is one")
	assert.True(t, daemonset.Matches(
		&nodeTerm{MatchExpressions: []requirement{rule("gpu", in, "")}}, empty))
	assert.False(t, daemonset.Matches(
		&nodeTerm{MatchExpressions: []requirement{rule("gpu", in, "")}}, a()))
	assert.True(t, daemonset.Matches(
		&nodeTerm{MatchExpressions: []requirement{rule("gpu", notIn, "")}}, a()))
}

func TestNumbersAreComparedAsNumbers(t *testing.T) {
	for name, given := range map[string]struct {
		says  requirement
		holds bool
	}{
		"more than":             {rule("cores", above, "4"), true},
		"8 is not more than 16": {rule("cores", above, "16"), false},
		"not more than itself":  {rule("cores", above, "8"), false},
		"less than":             {rule("cores", below, "16"), true},
		"not less than itself":  {rule("cores", below, "8"), false},
		"what is no number":     {rule("disk", above, "0"), false},
		"nor less":              {rule("disk", below, "0"), false},
		"than no number":        {rule("cores", above, "few"), false},
		"what is not there":     {rule("gpus", below, "4"), false},
	} {
		assert.Equal(t, given.holds, daemonset.Matches(
			&nodeTerm{MatchExpressions: []requirement{given.says}}, a()), name)
	}
}

func TestAllThatATermSaysMustHold(t *testing.T) {
	ssd, big := rule("disk", in, "ssd"), rule("cores", above, "4")
	small, b := rule("cores", below, "4"), rule(nameField, in, "b")
	itself := rule(nameField, in, "a")
	for name, given := range map[string]struct {
		term  nodeTerm
		holds bool
	}{
		"both":           {nodeTerm{MatchExpressions: []requirement{ssd, big}}, true},
		"not the second": {nodeTerm{MatchExpressions: []requirement{ssd, small}}, false},
		"its name":       {nodeTerm{MatchFields: []requirement{itself}}, true},
		"another's":      {nodeTerm{MatchFields: []requirement{b}}, false},
		"not another's":  {nodeTerm{MatchFields: []requirement{rule(nameField, notIn, "b")}}, true},
		"not its name, and not another's": {nodeTerm{MatchFields: []requirement{
			rule(nameField, notIn, "b"), rule(nameField, notIn, "a")}}, false},
		"another field":                 {nodeTerm{MatchFields: []requirement{rule("metadata.uid", in, "a")}}, false},
		"another field is not its name": {nodeTerm{MatchFields: []requirement{rule("metadata.uid", notIn, "b")}}, true},
		"label, not name":               {nodeTerm{MatchExpressions: []requirement{ssd}, MatchFields: []requirement{b}}, false},
		"name, not label":               {nodeTerm{MatchExpressions: []requirement{small}, MatchFields: []requirement{itself}}, false},
		"label and name":                {nodeTerm{MatchExpressions: []requirement{ssd}, MatchFields: []requirement{itself}}, true},
	} {
		assert.Equal(t, given.holds, daemonset.Matches(&given.term, a()), name)
	}
}

func TestATermThatSaysNothingIsTrueOfNothing(t *testing.T) {
	assert.True(t, daemonset.Matches(
		&nodeTerm{MatchExpressions: []requirement{rule("disk", is)}}, a()))
	assert.False(t, daemonset.Matches(&nodeTerm{}, a()))
}

// Terms are alternatives, the selector is not one of them.
func TestOneTermIsEnoughAndTheSelectorIsNeededToo(t *testing.T) {
	ssd := nodeTerm{MatchExpressions: []requirement{rule("disk", in, "ssd")}}
	gpus := nodeTerm{MatchExpressions: []requirement{rule("gpu", is)}}
	for name, given := range map[string]struct {
		pod   *corev1.Pod
		wants bool
	}{
		"nothing said":   {podWith(), true},
		"one of two":     {podWith(requiring(gpus, ssd)), true},
		"none":           {podWith(requiring(gpus)), false},
		"no terms":       {podWith(requiring()), false},
		"selected":       {podWith(selecting("disk", "ssd")), true},
		"another value":  {podWith(selecting("disk", "hdd")), false},
		"no such label":  {podWith(selecting("gpu", "")), false},
		"selector alone": {podWith(selecting("disk", "hdd"), requiring(ssd)), false},
		"both":           {podWith(selecting("disk", "ssd"), requiring(ssd)), true},
	} {
		assert.Equal(t, given.wants, daemonset.Wants(&given.pod.Spec, a()), name)
	}
}

func requiring(terms ...nodeTerm) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: terms,
			},
		}}
	}
}

func selecting(key, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{key: value} }
}

func podWith(changes ...func(*corev1.Pod)) *corev1.Pod {
	pod := kubetest.Pod("p")
	for _, change := range changes {
		change(pod)
	}
	return pod
}
