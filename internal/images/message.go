package images

import (
	"context"
	"io"

	corev1 "k8s.io/api/core/v1"
)

// How long a message is that a container leaves (Kubernetes:
// pkg/kubelet/container/runtime.go).
const (
	maxMessage  = 4096 // bytes of its file
	maxLogBytes = 2048 // or else of its log,
	maxLogLines = 80
)

// leave returns what a container has written down for whoever asks why it has
// ended.
func (c *container) leave() string {
	path := c.self.Container.TerminationMessagePath
	if path == "" {
		return ""
	}
	file, err := c.box.Files.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > maxMessage {
		file.Seek(info.Size()-maxMessage, io.SeekStart)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxMessage))
	if err != nil {
		return ""
	}
	return string(text)
}

// message returns what a container has left or, if it failed, wants that and has
// left nothing, the end of its log (Kubernetes:
// pkg/kubelet/kuberuntime/kuberuntime_container.go, getTerminationMessage).
func (c *container) message() string {
	end := c.end.Load()
	if end == nil {
		return ""
	}
	if end.left != "" || end.code == 0 || c.self.Container.TerminationMessagePolicy !=
		corev1.TerminationMessageFallbackToLogsOnError {
		return end.left
	}
	lines := int64(maxLogLines)
	log := c.output.log(context.Background(), func() {},
		&corev1.PodLogOptions{TailLines: &lines})
	text, err := io.ReadAll(log)
	if err != nil {
		return ""
	}
	return string(text[max(0, len(text)-maxLogBytes):])
}
