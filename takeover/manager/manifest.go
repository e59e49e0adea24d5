package manager

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/lab"
)

// app is the name of all that is printed.
const app = "lab-controllers"

// Manifest returns what runs the controllers inside of a cluster: an account that
// may do what they need and nothing else, and two copies. Nothing is done by
// printing it, so it wants no word; it says which ones the copies are given.
func Manifest(opts Options, image string) (string, error) {
	chosen, err := opts.Chosen()
	if err != nil {
		return "", err
	}
	given := opts.give(chosen)
	m := &manager{Options: opts, chosen: chosen, kinds: kinds.Store(kinds.All())}
	all := []runtime.Object{&corev1.ServiceAccount{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: m.home(app),
	}}
	inside, outside := m.apart()
	if len(outside) > 0 {
		all = append(all, clusterRole(outside), clusterRoleBinding(m.Home))
	}
	if len(inside) > 0 {
		meta := metav1.ObjectMeta{Name: app, Namespace: m.Namespace}
		all = append(all, role(meta, inside), roleBinding(meta, m.Home))
	}
	home := m.home(app + "-lease")
	all = append(all, role(home, m.electing()), roleBinding(home, m.Home),
		m.deployment(image))
	var text strings.Builder
	text.WriteString(given)
	for _, obj := range all {
		doc, err := yaml.Marshal(obj)
		if err != nil {
			return "", err
		}
		text.WriteString("---\n")
		text.Write(doc)
	}
	return text.String(), nil
}

// give says yes for the copies, and returns the comment that tells whoever applies
// the manifest to what.
func (o *Options) give(chosen []lab.Elsewhere) (comment string) {
	if o.Namespace == "" {
		o.Yes = true
		comment = "# Whoever applies this lets the controllers act on all namespaces (--yes).\n"
	}
	if unasked := unasked(chosen); len(unasked) > 0 {
		o.SwitchedOff = true
		comment += "# The cluster's own must have been switched off (--switched-off), which cannot be seen of:\n" +
			"# " + strings.Join(unasked, ", ") + "\n"
	}
	return comment
}

func (m *manager) home(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: m.Home}
}

// apart returns the rights that are of the fence, and those of the whole cluster.
func (m *manager) apart() (inside, outside []right) {
	for _, r := range m.rights() {
		if m.Namespace != "" && m.namespaced(r) {
			inside = append(inside, r)
		} else {
			outside = append(outside, r)
		}
	}
	return inside, outside
}

// rules returns the rights as RBAC has them: a rule for each resource.
func rules(all []right) (rules []rbacv1.PolicyRule) {
	for _, r := range sorted(slices.Clone(all)) {
		group, name, sub := r.split()
		if sub != "" {
			name += "/" + sub
		}
		if n := len(rules); n > 0 && rules[n-1].APIGroups[0] == group && rules[n-1].Resources[0] == name {
			rules[n-1].Verbs = append(rules[n-1].Verbs, r.verb)
			continue
		}
		rules = append(rules, rbacv1.PolicyRule{
			APIGroups: []string{group}, Resources: []string{name}, Verbs: []string{r.verb},
		})
	}
	return rules
}

func rbac(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
}

func clusterRole(all []right) runtime.Object {
	return &rbacv1.ClusterRole{
		TypeMeta: rbac("ClusterRole"), ObjectMeta: metav1.ObjectMeta{Name: app},
		Rules: rules(all),
	}
}

func role(meta metav1.ObjectMeta, all []right) runtime.Object {
	return &rbacv1.Role{TypeMeta: rbac("Role"), ObjectMeta: meta, Rules: rules(all)}
}

func account(home string) []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: app, Namespace: home}}
}

func clusterRoleBinding(home string) runtime.Object {
	return &rbacv1.ClusterRoleBinding{
		TypeMeta: rbac("ClusterRoleBinding"), ObjectMeta: metav1.ObjectMeta{Name: app},
		Subjects: account(home),
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: app},
	}
}

func roleBinding(meta metav1.ObjectMeta, home string) runtime.Object {
	return &rbacv1.RoleBinding{
		TypeMeta: rbac("RoleBinding"), ObjectMeta: meta, Subjects: account(home),
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
	}
}

// arguments returns those with which a copy does what the options say.
func (m *manager) arguments() []string {
	args := []string{
		"controllers", "--controllers=" + strings.Join(m.Controllers, ","),
		"--home=" + m.Home, "--lease=" + m.Lease,
		"--listen=0.0.0.0:8480", "--log-format=json",
	}
	if m.Namespace != "" {
		args = append(args, "--namespace="+m.Namespace)
	}
	if m.Yes {
		args = append(args, "--yes")
	}
	if m.SwitchedOff {
		args = append(args, "--switched-off")
	}
	if len(m.With) > 0 {
		args = append(args, "--with="+strings.Join(m.With, ","))
	}
	return args
}

// apartFrom returns the wish that the copies are on different nodes. On one that is
// alone there are two.
func apartFrom(labels map[string]string) *corev1.Affinity {
	return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
			Weight: 100,
			PodAffinityTerm: corev1.PodAffinityTerm{
				TopologyKey:   corev1.LabelHostname,
				LabelSelector: &metav1.LabelSelector{MatchLabels: labels},
			},
		}},
	}}
}

// container returns a copy's, as a namespace demands it that is restricted.
func (m *manager) container(image string) corev1.Container {
	return corev1.Container{
		Name: "controllers", Image: image, Args: m.arguments(),
		ImagePullPolicy: corev1.PullIfNotPresent,
		Ports:           []corev1.ContainerPort{{Name: "http", ContainerPort: 8480}},
		LivenessProbe:   probe("/healthz"),
		ReadinessProbe:  probe("/readyz"),
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("100m"),
			corev1.ResourceMemory: resource.MustParse("128Mi"),
		}},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false),
			ReadOnlyRootFilesystem:   new(true),
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
}

func probe(path string) *corev1.Probe {
	return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
		HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("http")},
	}}
}

// deployment returns two copies. Whoever takes the Deployment controller over
// applies this before the cluster's own is switched off, or has none to start it.
func (m *manager) deployment(image string) runtime.Object {
	labels := map[string]string{"app": app}
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: m.home(app),
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(2)),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					ServiceAccountName: app,
					Affinity:           apartFrom(labels),
					SecurityContext: &corev1.PodSecurityContext{
						RunAsNonRoot:   new(true),
						SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
					},
					Containers: []corev1.Container{m.container(image)},
				},
			},
		},
	}
}
