package rules

import (
	"context"
	"maps"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	claimutil "k8s.io/kubernetes/pkg/api/persistentvolumeclaim"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/apps/validation"
	api "k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
	daemonset "reconcile/chapters/06-daemonset"
)

var workloads = map[schema.GroupVersionKind]server{
	controlloop.RCKind: strategy[*api.ReplicationController]{
		prepare: func(rc *api.ReplicationController) { dropFields(rc.Spec.Template) },
		create: func(rc *api.ReplicationController) field.ErrorList {
			return corevalidation.ValidateReplicationController(
				rc, templateOptions(rc.Spec.Template, nil))
		},
		update: func(rc, old *api.ReplicationController) field.ErrorList {
			return corevalidation.ValidateReplicationControllerUpdate(
				rc, old, templateOptions(rc.Spec.Template, old.Spec.Template))
		},
		status: corevalidation.ValidateReplicationControllerStatusUpdate,
		warn: func(rc, old *api.ReplicationController) []string {
			if old != nil {
				return warnOfTemplate(rc.Spec.Template, old.Spec.Template)
			}
			return append(warnOfPodNames(rc.Name), warnOfTemplate(rc.Spec.Template, nil)...)
		},
	},
	deployment.ReplicaSetKind: strategy[*apps.ReplicaSet]{
		prepare: func(rs *apps.ReplicaSet) { dropFields(&rs.Spec.Template) },
		create: func(rs *apps.ReplicaSet) field.ErrorList {
			return validation.ValidateReplicaSet(rs, templateOptions(&rs.Spec.Template, nil))
		},
		update: func(rs, old *apps.ReplicaSet) field.ErrorList {
			return validation.ValidateReplicaSetUpdate(
				rs, old, templateOptions(&rs.Spec.Template, &old.Spec.Template))
		},
		status: validation.ValidateReplicaSetStatusUpdate,
		warn: func(rs, old *apps.ReplicaSet) []string {
			if old != nil {
				return warnOfTemplate(&rs.Spec.Template, &old.Spec.Template)
			}
			return append(warnOfPodNames(rs.Name), warnOfTemplate(&rs.Spec.Template, nil)...)
		},
	},
	deployment.DeploymentKind: strategy[*apps.Deployment]{
		prepare: func(d *apps.Deployment) { dropFields(&d.Spec.Template) },
		create: func(d *apps.Deployment) field.ErrorList {
			return validation.ValidateDeployment(d, templateOptions(&d.Spec.Template, nil))
		},
		update: func(d, old *apps.Deployment) field.ErrorList {
			return validation.ValidateDeploymentUpdate(
				d, old, templateOptions(&d.Spec.Template, &old.Spec.Template))
		},
		status: validation.ValidateDeploymentStatusUpdate,
		warn: func(d, old *apps.Deployment) []string {
			if old != nil {
				return warnOfTemplate(&d.Spec.Template, &old.Spec.Template)
			}
			return append(warnOfPodNames(d.Name), warnOfTemplate(&d.Spec.Template, nil)...)
		},
	},
	statefulset.StatefulSetKind: strategy[*apps.StatefulSet]{
		prepare: func(s *apps.StatefulSet) { dropFields(&s.Spec.Template) },
		create: func(s *apps.StatefulSet) field.ErrorList {
			return validation.ValidateStatefulSet(s, validation.StatefulSetValidationOptions{},
				templateOptions(&s.Spec.Template, nil))
		},
		update: func(s, old *apps.StatefulSet) field.ErrorList {
			return validation.ValidateStatefulSetUpdate(s, old,
				// These can't change, so an update doesn't judge again what a
				// create has let in.
				validation.StatefulSetValidationOptions{
					AllowInvalidServiceName:          true,
					SkipValidateVolumeClaimTemplates: true,
				},
				templateOptions(&s.Spec.Template, &old.Spec.Template))
		},
		status: validation.ValidateStatefulSetStatusUpdate,
		warn:   warnOfStatefulSet,
	},
	daemonset.DaemonSetKind: strategy[*apps.DaemonSet]{
		prepare: func(d *apps.DaemonSet) {
			d.Spec.TemplateGeneration = max(1, d.Spec.TemplateGeneration)
			dropFields(&d.Spec.Template)
		},
		create: func(d *apps.DaemonSet) field.ErrorList {
			return validation.ValidateDaemonSet(d, templateOptions(&d.Spec.Template, nil))
		},
		update: func(d, old *apps.DaemonSet) field.ErrorList {
			opts := templateOptions(&d.Spec.Template, &old.Spec.Template)
			opts.AllowInvalidLabelValueInSelector = opts.AllowInvalidLabelValueInSelector ||
				metavalidation.LabelSelectorHasInvalidLabelValue(old.Spec.Selector)
			return validation.ValidateDaemonSetUpdate(d, old, opts)
		},
		status: validation.ValidateDaemonSetStatusUpdate,
		warn: func(d, old *apps.DaemonSet) []string {
			if old != nil {
				return warnOfTemplate(&d.Spec.Template, &old.Spec.Template)
			}
			return warnOfTemplate(&d.Spec.Template, nil)
		},
	},
	daemonset.RevisionKind: strategy[*apps.ControllerRevision]{
		create: validation.ValidateControllerRevisionCreate,
		update: validation.ValidateControllerRevisionUpdate,
	},
}

func templateOptions(template, old *api.PodTemplateSpec) corevalidation.PodValidationOptions {
	return podutil.GetValidationOptionsFromPodTemplate(template, old)
}

func dropFields(template *api.PodTemplateSpec) {
	podutil.DropDisabledTemplateFields(template, nil)
}

func warnOfPodNames(name string) []string {
	return warnOfName(name, "metadata.name: this is used in Pod names and hostnames")
}

// warnOfTemplate warns of a template, unless the update leaves it unchanged.
func warnOfTemplate(template, old *api.PodTemplateSpec) []string {
	if template == nil || old != nil && equality.Semantic.DeepEqual(template, old) {
		return nil
	}
	return podutil.GetWarningsForPodTemplate(
		context.Background(), templatePath, template, old)
}

func warnOfStatefulSet(s, old *apps.StatefulSet) []string {
	var was *api.PodTemplateSpec
	if old != nil {
		was = &old.Spec.Template
	}
	all := warnOfTemplate(&s.Spec.Template, was)
	for i, claim := range s.Spec.VolumeClaimTemplates {
		all = append(all, claimutil.GetWarningsForPersistentVolumeClaimSpec(
			specPath.Child("volumeClaimTemplates").Index(i), claim.Spec)...)
	}
	if kept := s.Spec.RevisionHistoryLimit; kept != nil && *kept < 0 {
		all = append(all, "spec.revisionHistoryLimit: a negative value retains all "+
			"historical revisions; a value >= 0 is recommended")
	}
	return all
}

// templateCounts counts how often the template of a DaemonSet has changed, in the
// annotation from which old clients and the Pods' labels take it. No client may
// set that.
var templateCounts = controlloop.Allotment{
	Of: func(controlloop.Object) []string { return nil },
	Give: func(obj, old controlloop.Object, _ func(string) bool) field.ErrorList {
		ds := obj.(*appsv1.DaemonSet)
		count := max(1, templateCount(ds))
		if old != nil {
			was := old.(*appsv1.DaemonSet)
			count = templateCount(was)
			if !equality.Semantic.DeepEqual(ds.Spec.Template, was.Spec.Template) {
				count++
			}
		}
		annotations := maps.Clone(ds.Annotations)
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[appsv1.DeprecatedTemplateGeneration] = strconv.Itoa(count)
		ds.Annotations = annotations
		return nil
	},
}

// templateCount returns the count, or 0 if the text is no number.
func templateCount(ds *appsv1.DaemonSet) int {
	count, _ := strconv.Atoi(ds.Annotations[appsv1.DeprecatedTemplateGeneration])
	return count
}
