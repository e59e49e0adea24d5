package images_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// A chapter's image: a server, and its client.
var database = controlloop.Image{
	Program: func(ctx context.Context, p *controlloop.Process) int {
		fmt.Fprintln(p.Stdout, "ready for connections")
		l, err := p.Listen(3306)
		if err != nil {
			return 1
		}
		context.AfterFunc(ctx, func() { l.Close() })
		for {
			conn, err := l.Accept()
			if err != nil {
				return 0
			}
			fmt.Fprintln(conn, "5.7")
			conn.Close()
		}
	},
	Commands: map[string]controlloop.Program{
		"mysql": func(ctx context.Context, p *controlloop.Process) int {
			query, _ := io.ReadAll(p.Stdin)
			conn, err := p.Dial(ctx, "tcp", p.Args[1]+":3306")
			if err != nil {
				fmt.Fprintln(p.Stderr, err)
				return 1
			}
			defer conn.Close()
			fmt.Fprintf(p.Stdout, "%s in %s: ", query, p.Dir)
			io.Copy(p.Stdout, conn)
			return 0
		},
	},
}

func TestAChaptersImageIsAProgramAndCommandsForAShell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.machines.SetImage("mysql:5.7", database)
		server := r.start(pod("server", "mysql:5.7"))
		synctest.Wait()
		assert.Equal(t, "ready for connections\n", r.logs(server, corev1.PodLogOptions{}))

		client := r.start(pod("client", "mysql:5.7", "sleep", "3600"))
		out, code := r.exec(client, "bash", "-c",
			"cd /tmp; mysql "+server.Status.PodIP+" < /etc/hostname")
		assert.Zero(t, code)
		assert.Equal(t, "client\n in /tmp: 5.7\n", out)
		out, code = r.exec(client, "mysql", "localhost")
		assert.Equal(t, 1, code)
		assert.Equal(t, "dial tcp 10.244.1.3:3306: connect: connection refused\n", out)

		code32, after := r.stop(server, 30)
		assert.Zero(t, code32, "it was told, and did not have to be killed")
		assert.Zero(t, after)
	})
}

func TestAChaptersCommandsMayBeAllItsImageHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.machines.SetImage("tools", controlloop.Image{Commands: database.Commands})
		p := r.start(pod("web", "tools"))
		synctest.Wait()
		require.NotNil(t, r.ended(p), "a shell without input")
		assert.Zero(t, r.ended(p).ExitCode)
	})
}
