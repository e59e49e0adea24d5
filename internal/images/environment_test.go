package images_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

func TestAContainerRunsWithWhatItsSpecSays(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*corev1.Pod, *corev1.Container)
		want   string
	}{
		"args in the place of the image's command": {
			func(_ *corev1.Pod, c *corev1.Container) { c.Args = []string{"echo", "a"} },
			"a\n"},
		"command and args": {func(_ *corev1.Pod, c *corev1.Container) {
			c.Command, c.Args = []string{"echo", "a"}, []string{"b"}
		}, "a b\n"},
		"variables in arguments": {func(_ *corev1.Pod, c *corev1.Container) {
			c.Env = []corev1.EnvVar{
				{Name: "A", Value: "x"}, {Name: "B", Value: "$(A)y$$(A)$(NOPE)$"}}
			c.Args = []string{"echo", "$(B)", "$(C)", "$(HOSTNAME)"}
		}, "xy$(A)$(NOPE)$ $(C) $(HOSTNAME)\n"},
		"fields": {func(p *corev1.Pod, c *corev1.Container) {
			p.Labels = map[string]string{"app": "shop"}
			for name, path := range map[string]string{
				"N": "metadata.name", "NS": "metadata.namespace", "IP": "status.podIP",
				"NODE": "spec.nodeName", "APP": "metadata.labels['app']",
			} {
				c.Env = append(c.Env, corev1.EnvVar{Name: name,
					ValueFrom: &corev1.EnvVarSource{
						FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}})
			}
			c.Command = []string{"sh", "-c", "echo $N $NS $IP $NODE $APP $HOSTNAME"}
		}, "web default 10.244.1.1 node-1 shop web\n"},
		"working directory": {func(_ *corev1.Pod, c *corev1.Container) {
			c.WorkingDir, c.Command = "/tmp", []string{"pwd"}
		}, "/tmp\n"},
		"hostname": {func(p *corev1.Pod, c *corev1.Container) {
			p.Spec.Hostname, c.Command = "other", []string{"hostname"}
		}, "other\n"},
		"a terminal": {func(p *corev1.Pod, c *corev1.Container) {
			c.TTY, c.Command = true, []string{"sh", "-c", "echo $TERM"}
		}, "xterm\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := pod("web", "busybox")
				c.change(p, &p.Spec.Containers[0])
				r.start(p)
				synctest.Wait()
				assert.Equal(t, c.want, r.logs(p, corev1.PodLogOptions{}))
			})
		})
	}
}

// store holds one ConfigMap and one Secret.
func store(t *testing.T) *controlloop.Store {
	kinds := controlloop.CoreKinds().With(controlloop.Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Secret"),
		Resource:         "secrets", Namespaced: true,
		New: func() controlloop.Object { return &corev1.Secret{} },
	})
	s := controlloop.NewStore(kinds)
	meta := metav1.ObjectMeta{Namespace: "default", Name: "shop"}
	for _, obj := range []controlloop.Object{
		&corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"A": "1", "B": "2"}},
		&corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{"P": []byte("x")}},
	} {
		_, err := s.Create(t.Context(), obj)
		require.NoError(t, err)
	}
	return s
}

func TestVariablesComeFromConfigMapsAndSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.machines.ReadConfig(store(t))
		shop := corev1.LocalObjectReference{Name: "shop"}
		gone := corev1.LocalObjectReference{Name: "gone"}
		p := pod("web", "busybox", "sh", "-c", "env | grep -E '^(X_|P=|B=|N=)'; echo $(X_A)")
		c := &p.Spec.Containers[0]
		c.EnvFrom = []corev1.EnvFromSource{
			{Prefix: "X_", ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: shop}},
			{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: gone, Optional: new(true)}},
		}
		c.Env = []corev1.EnvVar{
			{Name: "P", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: shop, Key: "P"}}},
			{Name: "B", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
				LocalObjectReference: shop, Key: "B"}}},
			{Name: "N", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
				LocalObjectReference: shop, Key: "nope", Optional: new(true)}}},
		}
		r.start(p)
		synctest.Wait()
		assert.Equal(t, "B=2\nP=x\nX_A=1\nX_B=2\n1\n", r.logs(p, corev1.PodLogOptions{}))
	})
}

func TestAVariableThatCannotBeHadKeepsAContainerFromStarting(t *testing.T) {
	for _, c := range []struct {
		name, key, why string
		from           func(*testing.T) controlloop.Client
	}{
		{"gone", "A", `configmaps "gone" not found`,
			func(t *testing.T) controlloop.Client { return store(t) }},
		{"shop", "Z", "couldn't find key Z in ConfigMap default/shop",
			func(t *testing.T) controlloop.Client { return store(t) }},
		{"shop", "A", "there is nobody to ask for ConfigMap shop",
			func(*testing.T) controlloop.Client { return nil }},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			r.machines.ReadConfig(c.from(t))
			p := pod("web", "busybox")
			p.Spec.Containers[0].Env = []corev1.EnvVar{{
				Name: "V", ValueFrom: &corev1.EnvVarSource{
					ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
						LocalObjectReference: corev1.LocalObjectReference{Name: c.name},
						Key:                  c.key,
					},
				},
			}}
			_, err := r.runtime.Sandbox(t.Context(), p)
			require.NoError(t, err)
			err = r.runtime.Start(t.Context(), p, &p.Spec.Containers[0], nil)
			assert.EqualError(t, err, "variable V of container main: "+c.why)
		})
	}
}
