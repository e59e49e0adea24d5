package images_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/simulated"
)

// A chapter's image: a server, and its client.
var database = simulated.Image{
	Program: func(ctx context.Context, p *simulated.Process) int {
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
	Commands: map[string]simulated.Program{
		"mysql": func(ctx context.Context, p *simulated.Process) int {
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
		r.machines.SetImage("tools", simulated.Image{Commands: database.Commands})
		p := r.start(pod("web", "tools"))
		synctest.Wait()
		require.NotNil(t, r.ended(p), "a shell without input")
		assert.Zero(t, r.ended(p).ExitCode)
	})
}

func TestMySQLsProgramsSayTheirVersion(t *testing.T) {
	const mysql = "mysql  Ver 14.14 Distrib 5.7.%s, for Linux (x86_64) using  EditLine wrapper\n"
	const admin = "mysqladmin  Ver 8.42 Distrib 5.7.%s, for Linux on x86_64\n"
	const server = "mysqld  Ver 5.7.%s for Linux on x86_64 (MySQL Community Server (GPL))\n"
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for image, patch := range map[string]string{
			"mysql:5.7": "44", "mysql:5.7.23": "23", "gcr.io/google-samples/xtrabackup:1.0": "44",
		} {
			p := r.start(pod("in-"+patch+image[:1], image, "sleep", "3600"))
			for command, want := range map[string]string{
				"mysql --version": mysql, "mysql -V": mysql, "mysql -h nobody --version": mysql,
				"mysqladmin --version": admin, "mysqld --version": server, "mysqld --verbose -V": server,
			} {
				out, code := r.exec(p, "bash", "-c", command)
				if image[:1] == "g" && want == server {
					continue // it has none
				}
				assert.Equal(t, strings.Replace(want, "%s", patch, 1), out, command)
				assert.Zero(t, code)
			}
		}
		// As its first process, too: it does not begin a server.
		for _, args := range [][]string{{"--version"}, {"mysqld", "--version"}} {
			p := pod("only"+args[0][:1], "mysql:5.7.23")
			p.Spec.Containers[0].Args = args
			r.start(p)
			synctest.Wait()
			assert.Equal(t, strings.Replace(server, "%s", "23", 1), r.logs(p, corev1.PodLogOptions{}))
			assert.Zero(t, r.ended(p).ExitCode)
		}
	})
}
