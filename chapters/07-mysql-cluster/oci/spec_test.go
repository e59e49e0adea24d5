//go:build linux

package oci

import (
	"strings"
	"testing"

	"github.com/opencontainers/runtime-spec/specs-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/chapters/07-mysql-cluster/oci/image"
)

// ociSpecPod is a Pod that is not run: what runc would be told is looked at.
func ociSpecPod(c corev1.Container) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-0"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{c}}}
}

func TestACommandIsTheContainersOrTheImages(t *testing.T) {
	whole := &image.Image{Entrypoint: []string{"/entry"}, Cmd: []string{"serve", "all"}}
	for name, c := range map[string]struct {
		container corev1.Container
		image     *image.Image
		want      string
	}{
		"the image's":            {corev1.Container{}, whole, "run /entry serve all"},
		"other arguments":        {corev1.Container{Args: []string{"one"}}, whole, "run /entry one"},
		"another command":        {corev1.Container{Command: []string{"sh"}}, whole, "run sh"},
		"both":                   {corev1.Container{Command: []string{"sh"}, Args: []string{"-c", "ls"}}, whole, "run sh -c ls"},
		"without an entry point": {corev1.Container{}, &image.Image{Cmd: []string{"sh"}}, "run sh"},
		"an empty list":          {corev1.Container{Command: []string{}}, whole, "run /entry serve all"},
		"at a terminal":          {corev1.Container{TTY: true}, whole, "terminal /entry serve all"},
	} {
		p, _, err := processIn(ociSpecPod(c.container), c.image)
		require.NoError(t, err, name)
		assert.Equal(t, "/dev/init "+c.want, strings.Join(p.Args, " "), name)
		assert.Equal(t, c.container.TTY, p.Terminal, name)
		assert.True(t, p.NoNewPrivileges)
	}
	_, _, err := processIn(ociSpecPod(corev1.Container{}), &image.Image{})
	assert.EqualError(t, err, "no command specified")
}

func TestAContainerBeginsInItsFolderOrTheImages(t *testing.T) {
	for _, c := range [][3]string{{"", "", "/"}, {"", "/srv", "/srv"}, {"/tmp", "/srv", "/tmp"}} {
		p, _, err := processIn(ociSpecPod(corev1.Container{WorkingDir: c[0]}),
			&image.Image{Cmd: []string{"sh"}, WorkingDir: c[1]})
		require.NoError(t, err)
		assert.Equal(t, c[2], p.Cwd)
	}
}

func TestTheContainersVariablesWin(t *testing.T) {
	path := "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	for name, c := range map[string]struct {
		image     []string
		container []corev1.EnvVar
		tty       bool
		want      []string
	}{
		"nobody's":    {nil, nil, false, []string{path, "HOSTNAME=web-0"}},
		"a terminal":  {nil, nil, true, []string{path, "HOSTNAME=web-0", "TERM=xterm"}},
		"the image's": {[]string{"A=1", "PATH=/bin"}, nil, false, []string{"HOSTNAME=web-0", "A=1", "PATH=/bin"}},
		"both": {[]string{"A=1", "AB=1", "B=1"}, []corev1.EnvVar{{Name: "B", Value: "2"}, {Name: "A", Value: "a=b"}, {Name: "B"}},
			false, []string{path, "HOSTNAME=web-0", "AB=1", "A=a=b", "B="}},
	} {
		p, _, err := processIn(ociSpecPod(corev1.Container{Env: c.container, TTY: c.tty}),
			&image.Image{Cmd: []string{"sh"}, Env: c.image})
		require.NoError(t, err)
		assert.Equal(t, c.want, p.Env, name)
	}
}

func TestAUserIsTheContainersThePodsOrTheImages(t *testing.T) {
	for name, c := range map[string]struct {
		image     string
		pod       *corev1.PodSecurityContext
		container *corev1.SecurityContext
		want      specs.User
		readOnly  bool
	}{
		"root":              {"", nil, nil, specs.User{}, false},
		"the image's":       {"27", nil, nil, specs.User{UID: 27}, false},
		"and its group":     {"27:28", nil, nil, specs.User{UID: 27, GID: 28}, false},
		"the Pod's":         {"27:28", &corev1.PodSecurityContext{RunAsUser: new(int64(0))}, nil, specs.User{GID: 28}, false},
		"the container's":   {"27:28", &corev1.PodSecurityContext{RunAsUser: new(int64(1)), RunAsGroup: new(int64(2))}, &corev1.SecurityContext{RunAsGroup: new(int64(3))}, specs.User{UID: 1, GID: 3}, false},
		"who may not write": {"", nil, &corev1.SecurityContext{ReadOnlyRootFilesystem: new(true)}, specs.User{}, true},
		"who may":           {"", nil, &corev1.SecurityContext{ReadOnlyRootFilesystem: new(false)}, specs.User{}, false},
		"the last of all":   {"4294967295", nil, nil, specs.User{UID: 4294967295}, false},
	} {
		pod := ociSpecPod(corev1.Container{SecurityContext: c.container})
		pod.Spec.SecurityContext = c.pod
		p, readOnly, err := processIn(pod, &image.Image{Cmd: []string{"sh"}, User: c.image})
		require.NoError(t, err, name)
		assert.Equal(t, c.want, p.User, name)
		assert.Equal(t, c.readOnly, readOnly, name)
	}
	for _, user := range []string{"nobody", "27:staff", "4294967296", "27:4294967296", "-1"} {
		_, _, err := processIn(ociSpecPod(corev1.Container{}), &image.Image{Cmd: []string{"sh"}, User: user})
		assert.ErrorContains(t, err, "user \""+user+"\" of the image: ")
	}
}

func TestLimitsAreWhatACgroupIsTold(t *testing.T) {
	limits := func(cpu, memory string) *specs.LinuxResources {
		c := &corev1.Container{Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{}}}
		for name, value := range map[corev1.ResourceName]string{corev1.ResourceCPU: cpu, corev1.ResourceMemory: memory} {
			if value != "" {
				c.Resources.Limits[name] = resource.MustParse(value)
			}
		}
		return resourcesOf(c)
	}
	devices := []specs.LinuxDeviceCgroup{{Allow: false, Access: "rwm"}}
	assert.Equal(t, &specs.LinuxResources{Devices: devices}, limits("", ""))
	assert.Equal(t, &specs.LinuxResources{Devices: devices,
		CPU:    &specs.LinuxCPU{Period: new(uint64(100_000)), Quota: new(int64(50_000))},
		Memory: &specs.LinuxMemory{Limit: new(int64(64 << 20))}}, limits("500m", "64Mi"))
	assert.Equal(t, int64(250_000), *limits("2.5", "").CPU.Quota)
	assert.Equal(t, int64(1000), *limits("1m", "").CPU.Quota, "less is nothing that Linux knows")
}

// processIn returns the first process of a Pod's only container, and whether it may
// write to its image's files.
func processIn(
	pod *corev1.Pod, image *image.Image,
) (process *specs.Process, readOnly bool, err error) {
	c := &pod.Spec.Containers[0]
	rights, err := (&runtime{}).rightsOf(pod, c, image)
	if err != nil {
		return nil, false, err
	}
	process, err = processOf(&sandbox{hostname: pod.Name}, c, image, rights)
	return process, rights.readOnly, err
}
