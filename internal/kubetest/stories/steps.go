package stories

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
)

// All stories are about this Deployment.
var (
	deploymentKind = appsv1.SchemeGroupVersion.WithKind("Deployment")
	theDeployment  = controlloop.Key{
		Namespace: metav1.NamespaceDefault, Name: "web",
	}
)

// step carries out one line.
func (s *story) step(words []string) {
	s.t.Helper()
	verb, args := words[0], words[1:]
	switch verb {
	case "create":
		s.create(args)
	case "edit":
		s.edit(func(d *appsv1.Deployment) { s.set(d, args) })
	case "pause", "resume":
		s.edit(func(d *appsv1.Deployment) { d.Spec.Paused = verb == "pause" })
	case "undo":
		s.undo(args)
	case "ready", "unready", "die":
		s.change(verb, args[0], args[1:])
	case "slow":
		s.slow = true
	case "end":
		for range count(args) {
			require.True(s.t, s.endOne(), "there is no Pod that is to end")
			s.settle()
		}
	case "wait":
		d, err := time.ParseDuration(args[0])
		require.NoError(s.t, err)
		s.Advance(d)
		s.observe()
	case "look":
		s.printStatus()
	default:
		s.t.Fatalf("there is no step %q", verb)
	}
}

// count returns how often a step is to be done: once, if it does not say.
func count(args []string) int {
	if len(args) == 0 {
		return 1
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return 0
	}
	return n
}

func (s *story) undo(args []string) {
	s.t.Helper()
	revision := 0
	if len(args) > 0 {
		revision = count(args)
	}
	require.NoError(s.t, s.Undo(theDeployment, int64(revision)))
	s.settle()
}

func (s *story) create(args []string) {
	s.t.Helper()
	labels := map[string]string{"app": theDeployment.Name}
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: theDeployment.Namespace, Name: theDeployment.Name,
		},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					Containers: []corev1.Container{{Name: "web", Image: "web:v1"}},
				},
			},
		},
	}
	s.set(d, args)
	_, err := s.Store.Create(context.Background(), d)
	require.NoError(s.t, err)
	s.settle()
}

// edit applies change to the newest state of the Deployment.
func (s *story) edit(change func(*appsv1.Deployment)) {
	s.t.Helper()
	for {
		next := controlloop.Copy(s.deployment())
		change(next)
		_, err := s.Store.Update(context.Background(), next)
		if apierrors.IsConflict(err) {
			continue
		}
		require.NoError(s.t, err)
		break
	}
	s.settle()
}

func (s *story) deployment() *appsv1.Deployment {
	s.t.Helper()
	obj, err := s.Store.Get(context.Background(), deploymentKind, theDeployment)
	require.NoError(s.t, err)
	return obj.(*appsv1.Deployment)
}

// set gives fields of a Deployment the values that args say, each as
// name=value.
func (s *story) set(d *appsv1.Deployment, args []string) {
	s.t.Helper()
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		require.True(s.t, ok, arg)
		n, _ := strconv.ParseInt(value, 10, 32)
		number := int32(n)
		switch name {
		case "replicas":
			d.Spec.Replicas = &number
		case "image":
			d.Spec.Template.Spec.Containers[0].Image = "web:" + value
		case "surge":
			rolling(d).MaxSurge = new(intstr.Parse(value))
		case "unavailable":
			rolling(d).MaxUnavailable = new(intstr.Parse(value))
		case "strategy":
			d.Spec.Strategy = appsv1.DeploymentStrategy{
				Type: appsv1.DeploymentStrategyType(value),
			}
		case "deadline":
			d.Spec.ProgressDeadlineSeconds = &number
		case "limit":
			d.Spec.RevisionHistoryLimit = &number
		case "minready":
			d.Spec.MinReadySeconds = number
		case "cause":
			metav1.SetMetaDataAnnotation(
				&d.ObjectMeta, "kubernetes.io/change-cause", value)
		default:
			s.t.Fatalf("a Deployment has no %q", name)
		}
	}
}

func rolling(d *appsv1.Deployment) *appsv1.RollingUpdateDeployment {
	strategy := &d.Spec.Strategy
	strategy.Type = appsv1.RollingUpdateDeploymentStrategyType
	if strategy.RollingUpdate == nil {
		strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{}
	}
	return strategy.RollingUpdate
}
