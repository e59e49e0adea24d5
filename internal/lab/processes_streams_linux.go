package lab

import (
	"context"
	"io"
	"net"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/07-mysql-cluster/oci/stdio"
	"reconcile/internal/apiserver/streams"
)

// Logs implements streams.Containers.
func (p *Processes) Logs(
	ctx context.Context, pod *corev1.Pod, opts *corev1.PodLogOptions,
) (io.ReadCloser, error) {
	r, err := p.runtimeOf(pod)
	if err != nil {
		return nil, err
	}
	id, err := streams.SourceOf(pod, opts.Container, opts.Previous)
	if err != nil {
		return nil, err
	}
	return r.Logs(ctx, pod.UID, id, opts)
}

// Exec implements streams.Containers.
func (p *Processes) Exec(
	ctx context.Context, pod *corev1.Pod, container string, command []string,
	s streams.IO,
) (int, error) {
	r, err := p.runtimeOf(pod)
	if err != nil {
		return 0, err
	}
	return r.Run(ctx, pod.UID, container, command, ociStreams(ctx, s))
}

// Attach implements streams.Containers.
func (p *Processes) Attach(
	ctx context.Context, pod *corev1.Pod, container string, s streams.IO,
) (int, error) {
	r, err := p.runtimeOf(pod)
	if err != nil {
		return 0, err
	}
	return r.Attach(ctx, pod.UID, container, ociStreams(ctx, s))
}

// Dial implements streams.Containers.
func (p *Processes) Dial(
	ctx context.Context, pod *corev1.Pod, port int32,
) (net.Conn, error) {
	r, err := p.runtimeOf(pod)
	if err != nil {
		return nil, err
	}
	return r.Dial(ctx, pod.UID, port)
}

// ociStreams returns the same streams as the chapter's type.
func ociStreams(ctx context.Context, s streams.IO) stdio.Streams {
	o := stdio.Streams{
		Stdin: s.Stdin, Stdout: s.Stdout, Stderr: s.Stderr, TTY: s.TTY,
	}
	if s.Resize == nil {
		return o
	}
	sizes := make(chan stdio.Size)
	o.Resize = sizes
	go func() {
		defer close(sizes)
		for size := range s.Resize {
			select {
			case sizes <- stdio.Size(size):
			case <-ctx.Done():
				return
			}
		}
	}()
	return o
}
