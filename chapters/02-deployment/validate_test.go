package deployment_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// bad is a change that makes a good ReplicaSet or Deployment a bad one.
type bad struct {
	selector  func(*metav1.LabelSelector)
	template  func(*corev1.PodTemplateSpec)
	rs        func(*appsv1.ReplicaSetSpec)
	d         func(*appsv1.DeploymentSpec)
	noneOfIts bool // selects nothing at all
}

const (
	mismatch = "`selector` does not match template `labels`"
	noLabel  = "a valid label must be an empty string or consist of alphanumeric " +
		"characters, '-', '_' or '.', and must start and end with an alphanumeric " +
		"character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for " +
		"validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
	negative = "must be greater than or equal to 0"
)

// refusedOfBoth holds what both kinds refuse. All messages in this file were
// printed by ValidateDeployment, ValidateReplicaSet and their Update of
// Kubernetes 1.37.0 (pkg/apis/apps/validation/validation.go) for the same
// manifests, with their defaults filled in.
var refusedOfBoth = map[string]struct {
	bad
	want []string
}{
	"a template that is not selected": {
		bad{template: func(p *corev1.PodTemplateSpec) { p.Labels["app"] = "db" }},
		[]string{`spec.template.metadata.labels: Invalid value: {"app":"db"}: ` + mismatch},
	},
	"a template without labels": {
		bad{template: func(p *corev1.PodTemplateSpec) { p.Labels = nil }},
		[]string{`spec.template.metadata.labels: Invalid value: null: ` + mismatch},
	},
	"no selector": {
		bad{noneOfIts: true},
		[]string{
			`spec.selector: Required value`,
			`spec.template.metadata.labels: Invalid value: {"app":"web"}: ` + mismatch,
		},
	},
	"an empty selector": {
		bad{selector: func(s *metav1.LabelSelector) { s.MatchLabels = nil }},
		[]string{`spec.selector: Invalid value: {}: empty selector is invalid for deployment`},
	},
	"an operator that there is not": {
		bad{selector: func(s *metav1.LabelSelector) {
			*s = metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: "app", Operator: "Like", Values: []string{"web"}},
			}}
		}},
		[]string{
			`spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator`,
			`spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Like","values":["web"]}]}: invalid label selector`,
		},
	},
	"a label that is none": {
		bad{selector: func(s *metav1.LabelSelector) { s.MatchLabels["app"] = "no spaces" }},
		[]string{
			`spec.selector.matchLabels: Invalid value: "no spaces": ` + noLabel,
			`spec.selector: Invalid value: {"matchLabels":{"app":"no spaces"}}: invalid label selector`,
		},
	},
	"Pods that end by themselves": {
		bad{template: func(p *corev1.PodTemplateSpec) { p.Spec.RestartPolicy = "OnFailure" }},
		[]string{`spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"`},
	},
	"a restart policy that there is not": {
		bad{template: func(p *corev1.PodTemplateSpec) { p.Spec.RestartPolicy = "Sometimes" }},
		[]string{
			`spec.template.spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always"`,
		},
	},
	"Pods with a deadline": {
		bad{template: func(p *corev1.PodTemplateSpec) { p.Spec.ActiveDeadlineSeconds = new(int64(60)) }},
		[]string{`spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported`},
	},
	"fewer than none": {
		bad{
			rs: func(s *appsv1.ReplicaSetSpec) { s.Replicas = new(int32(-1)) },
			d:  func(s *appsv1.DeploymentSpec) { s.Replicas = new(int32(-1)) },
		},
		[]string{`spec.replicas: Invalid value: -1: ` + negative},
	},
	"ready before it begins": {
		bad{
			rs: func(s *appsv1.ReplicaSetSpec) { s.MinReadySeconds = -1 },
			d:  func(s *appsv1.DeploymentSpec) { s.MinReadySeconds = -1 },
		},
		[]string{`spec.minReadySeconds: Invalid value: -1: ` + negative},
	},
}

var refusedOfDeployments = map[string]struct {
	bad  func(*appsv1.DeploymentSpec)
	want []string
}{
	"the numbers of a rolling update for one that recreates": {
		func(s *appsv1.DeploymentSpec) {
			s.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{
				MaxSurge: new(intstr.FromInt32(1)),
			}
		},
		[]string{"spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"},
	},
	"a strategy that there is not": {
		func(s *appsv1.DeploymentSpec) { s.Strategy.Type = "BlueGreen" },
		[]string{`spec.strategy: Unsupported value: {"Type":"BlueGreen","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"`},
	},
	"a deadline that no Pod can meet": {
		func(s *appsv1.DeploymentSpec) {
			s.MinReadySeconds, s.ProgressDeadlineSeconds = 60, new(int32(60))
		},
		[]string{`spec.progressDeadlineSeconds: Invalid value: 60: must be greater than minReadySeconds`},
	},
	"a deadline in the past": {
		func(s *appsv1.DeploymentSpec) { s.ProgressDeadlineSeconds = new(int32(-1)) },
		[]string{
			`spec.progressDeadlineSeconds: Invalid value: -1: ` + negative,
			`spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds`,
		},
	},
	"less than no history": {
		func(s *appsv1.DeploymentSpec) { s.RevisionHistoryLimit = new(int32(-1)) },
		[]string{`spec.revisionHistoryLimit: Invalid value: -1: ` + negative},
	},
	"much at once": {
		func(s *appsv1.DeploymentSpec) {
			s.Replicas, s.MinReadySeconds = new(int32(-1)), -2
			s.RevisionHistoryLimit = new(int32(-3))
			s.Template.Labels["app"] = "db"
			s.Template.Spec.RestartPolicy = "Never"
		},
		[]string{
			`spec.replicas: Invalid value: -1: ` + negative,
			`spec.template.metadata.labels: Invalid value: {"app":"db"}: ` + mismatch,
			`spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"`,
			`spec.minReadySeconds: Invalid value: -2: ` + negative,
			`spec.revisionHistoryLimit: Invalid value: -3: ` + negative,
		},
	},
}

// assertRefused asserts that err is a 422 with these causes, in this order.
func assertRefused(t *testing.T, err error, want []string) {
	t.Helper()
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	status, ok := errors.AsType[*apierrors.StatusError](err)
	require.True(t, ok)
	var causes []string
	for _, cause := range status.ErrStatus.Details.Causes {
		causes = append(causes, cause.Field+": "+cause.Message)
	}
	assert.Equal(t, want, causes)
}

func (b bad) replicaSet() *appsv1.ReplicaSet {
	rs := replicaSet("web", 3)
	b.apply(&rs.Spec.Selector, &rs.Spec.Template)
	if b.rs != nil {
		b.rs(&rs.Spec)
	}
	return rs
}

func (b bad) deployment() *appsv1.Deployment {
	d := recreated("web", 3)
	b.apply(&d.Spec.Selector, &d.Spec.Template)
	if b.d != nil {
		b.d(&d.Spec)
	}
	return d
}

func (b bad) apply(selector **metav1.LabelSelector, template *corev1.PodTemplateSpec) {
	if b.selector != nil {
		b.selector(*selector)
	}
	if b.noneOfIts {
		*selector = nil
	}
	if b.template != nil {
		b.template(template)
	}
}

func TestManifestsAreRefusedInTheWordsOfKubernetes(t *testing.T) {
	in(t, kubetest.Setup{Kinds: kinds()}, func(c *kubetest.Cluster) {
		for name, test := range refusedOfBoth {
			for _, obj := range []controlloop.Object{test.replicaSet(), test.deployment()} {
				t.Logf("%T: %s", obj, name)
				_, err := c.Store.Create(t.Context(), obj)
				assertRefused(t, err, test.want)
			}
		}
		for name, test := range refusedOfDeployments {
			t.Log(name)
			d := recreated("web", 3)
			test.bad(&d.Spec)
			_, err := c.Store.Create(t.Context(), d)
			assertRefused(t, err, test.want)
		}
	})
}

func TestASelectorMayAskForALabelInBothWays(t *testing.T) {
	in(t, kubetest.Setup{Kinds: kinds()}, func(c *kubetest.Cluster) {
		rs := replicaSet("web", 3)
		rs.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{
			{Key: "app", Operator: metav1.LabelSelectorOpExists},
		}
		_, err := c.Store.Create(t.Context(), rs)
		assert.NoError(t, err)
	})
}

func TestAnErrorNamesTheObjectAndItsKind(t *testing.T) {
	in(t, kubetest.Setup{Kinds: kinds()}, func(c *kubetest.Cluster) {
		_, err := c.Store.Create(t.Context(),
			refusedOfBoth["a template that is not selected"].deployment())
		assert.EqualError(t, err, `Deployment.apps "web" is invalid: `+
			`spec.template.metadata.labels: Invalid value: {"app":"db"}: `+mismatch)
	})
}

// With another selector, the existing Pods would belong to nothing.
func TestASelectorCannotBeChanged(t *testing.T) {
	in(t, kubetest.Setup{Kinds: kinds()}, func(c *kubetest.Cluster) {
		want := []string{`spec.selector: Invalid value: {"matchLabels":{"app":"db"}}: field is immutable`}
		rs := controlloop.Copy(kubetest.Create(c, replicaSet("web", 1)))
		rs.Spec.Selector.MatchLabels["app"] = "db"
		rs.Spec.Template.Labels["app"] = "db"
		_, err := c.Store.Update(t.Context(), rs)
		assertRefused(t, err, want)
		d := controlloop.Copy(kubetest.Create(c, recreated("web", 1)))
		d.Spec.Selector.MatchLabels["app"] = "db"
		d.Spec.Template.Labels["app"] = "db"
		_, err = c.Store.Update(t.Context(), d)
		assertRefused(t, err, want)
	})
}

func TestWhatIsLeftOutIsFilledIn(t *testing.T) {
	in(t, kubetest.Setup{Kinds: kinds()}, func(c *kubetest.Cluster) {
		d := recreated("web", 1)
		d.Spec.Replicas, d.Spec.Strategy.Type = nil, ""
		d = kubetest.Create(c, d)
		assert.EqualValues(t, 1, *d.Spec.Replicas)
		assert.Equal(t, appsv1.RollingUpdateDeploymentStrategyType, d.Spec.Strategy.Type)
		assert.EqualValues(t, 10, *d.Spec.RevisionHistoryLimit)
		assert.EqualValues(t, 600, *d.Spec.ProgressDeadlineSeconds)
		assert.Equal(t, corev1.RestartPolicyAlways, d.Spec.Template.Spec.RestartPolicy)
		rs := replicaSet("web", 1)
		rs.Spec.Replicas = nil
		rs = kubetest.Create(c, rs)
		assert.EqualValues(t, 1, *rs.Spec.Replicas)
		assert.Equal(t, corev1.PullIfNotPresent, rs.Spec.Template.Spec.Containers[0].ImagePullPolicy)
	})
}
