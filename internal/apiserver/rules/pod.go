package rules

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/helper/qos"
	"k8s.io/kubernetes/pkg/apis/core/validation"

	controlloop "reconcile/chapters/01-control-loop"
)

var pods = map[schema.GroupVersionKind]server{
	controlloop.PodKind: strategy[*api.Pod]{
		prepare: preparePod,
		create: func(pod *api.Pod) field.ErrorList {
			return validation.ValidatePodCreate(pod, podOptions(pod, nil))
		},
		update: updatePod,
		status: func(pod, old *api.Pod) field.ErrorList {
			return validation.ValidatePodStatusUpdate(pod, old, podOptions(pod, old))
		},
		warn: warnOfPod,
	},
}

func podOptions(pod, old *api.Pod) validation.PodValidationOptions {
	var opts validation.PodValidationOptions
	if old == nil {
		opts = podutil.GetValidationOptionsFromPodSpecAndMeta(
			&pod.Spec, nil, &pod.ObjectMeta, nil)
	} else {
		opts = podutil.GetValidationOptionsFromPodSpecAndMeta(
			&pod.Spec, &old.Spec, &pod.ObjectMeta, &old.ObjectMeta)
	}
	opts.ResourceIsPod = true
	return opts
}

// preparePod leaves a Pod's labels out of its selectors (matchLabelKeys): they
// are put there once, by admission.
func preparePod(pod *api.Pod) {
	if pod.ResourceVersion == "" { // it is new
		controlloop.Fill(&pod.Status.Phase, api.PodPending)
		podutil.DefaultPodLevelResources(pod)
	}
	podutil.DropDisabledPodFields(pod, nil)
	gated(pod)
	if len(pod.Spec.Containers) > 0 { // a status comes without them
		controlloop.Fill(&pod.Status.QOSClass, qos.GetPodQOS(pod))
	}
}

// gated sets the condition of a Pod that no scheduler looks at yet.
func gated(pod *api.Pod) {
	if len(pod.Spec.SchedulingGates) == 0 ||
		slices.ContainsFunc(pod.Status.Conditions, func(c api.PodCondition) bool {
			return c.Type == api.PodScheduled
		}) {
		return
	}
	pod.Status.Conditions = append(slices.Clip(pod.Status.Conditions), api.PodCondition{
		Type: api.PodScheduled, Status: api.ConditionFalse,
		Reason:             "SchedulingGated",
		Message:            "Scheduling is blocked due to non-empty scheduling gates",
		LastTransitionTime: controlloop.Now(),
	})
}

// updatePod asks of a Pod that gets ephemeral containers what their subresource
// does. Elsewhere they cannot be added: the server says so before.
func updatePod(pod, old *api.Pod) field.ErrorList {
	if !equality.Semantic.DeepEqual(
		pod.Spec.EphemeralContainers, old.Spec.EphemeralContainers) {
		return validation.ValidatePodEphemeralContainersUpdate(pod, old, podOptions(pod, old))
	}
	return validation.ValidatePodUpdate(pod, old, podOptions(pod, old))
}

func warnOfPod(pod, old *api.Pod) []string {
	if old != nil {
		return nil
	}
	return append(
		warnOfName(pod.Name, "metadata.name: this is used in the Pod's hostname"),
		podutil.GetWarningsForPod(context.Background(), pod, nil)...)
}

// warnOfName says where a name is used that should be a host's.
func warnOfName(name, used string) []string {
	msgs := utilvalidation.IsDNS1123Label(name)
	if len(msgs) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s, which can result in surprising behavior; "+
		"a DNS label is recommended: %v", used, msgs)}
}
