package images_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/01-control-loop/simulated"
)

// netcats is an image that has ncat: any of a chapter's.
var netcats = simulated.Image{Commands: database.Commands}

func TestNcatServesOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.machines.SetImage("tools", netcats)
		server := r.start(pod("server", "tools", "bash", "-c",
			`ncat --listen --keep-open --send-only --max-conns=1 3307 -c "echo hello; sleep 5; echo world"`))
		client := r.start(pod("client", "tools", "sleep", "3600"))
		synctest.Wait()
		call := "ncat --recv-only " + server.Status.PodIP + " 3307"
		first := make(chan string)
		go func() {
			out, _ := r.exec(client, "bash", "-c", call)
			first <- out
		}()
		time.Sleep(time.Second)
		out, code := r.exec(client, "bash", "-c", call)
		assert.Zero(t, code, "nobody tells it that it was one too many")
		assert.Empty(t, out)
		assert.Equal(t, "hello\nworld\n", <-first)
		for range 5 {
			out, _ = r.exec(client, "bash", "-c", call)
			assert.Equal(t, "hello\nworld\n", out, "below a shell it counts right")
			time.Sleep(time.Second)
		}
	})
}

// The real one, 7.93, says the same.
func TestNcatSaysWhyItCannot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.machines.SetImage("tools", netcats)
		p := r.start(pod("client", "tools", "sleep", "3600"))
		for _, line := range []struct {
			script, want string
			code         int
		}{
			{"ncat --recv-only localhost 3307", "Ncat: Connection refused.\n", 1},
			{"ncat --recv-only nobody 3307", "Ncat: Could not resolve hostname \"nobody\": Name or service not known. QUITTING.\n", 2},
			{"ncat --listen 3307 & sleep 1; ncat --listen 3307", "Ncat: bind to :::3307: Address already in use. QUITTING.\n", 2},
		} {
			out, code := r.exec(p, "bash", "-c", line.script)
			assert.Equal(t, line.want, out, line.script)
			assert.Equal(t, line.code, code, line.script)
		}
	})
}

// As the first process of a container it dies of its third client, and does not
// hear that it is to end.
func TestNcatIsABadFirstProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.machines.SetImage("tools", netcats)
		command := []string{"bash", "-c", `exec ncat --listen --keep-open --send-only 3307 -c "echo hello"`}
		server := r.start(pod("server", "tools", command...))
		client := r.start(pod("client", "tools", "sleep", "3600"))
		synctest.Wait() // until it listens
		for range 3 {
			assert.Nil(t, r.ended(server))
			out, _ := r.exec(client, "ncat", "--recv-only", server.Status.PodIP, "3307")
			assert.Equal(t, "hello\n", out)
			synctest.Wait()
		}
		require.NotNil(t, r.ended(server))
		assert.EqualValues(t, 2, r.ended(server).ExitCode)

		deaf := r.start(pod("deaf", "tools", command...))
		code, after := r.stop(deaf, 30)
		assert.EqualValues(t, 137, code)
		assert.Equal(t, 30*time.Second, after)
	})
}

// While one end of a shell's pipe waits, in virtual time, the other does.
func TestBothEndsOfAPipeMayTakeTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "debian", "sleep", "360000"))
		began := time.Now()
		out, _ := r.exec(p, "bash", "-c", "(echo one; sleep 60; echo two) | cat")
		assert.Equal(t, "one\ntwo\n", out)
		assert.InDelta(t, 60, time.Since(began).Seconds(), 1)

		began = time.Now()
		out, code := r.exec(p, "bash", "-c", "seq 99999 | head -c 300000 | (sleep 60; wc -c)")
		assert.Zero(t, code)
		assert.Equal(t, "300000\n", out, "more than a pipe holds")
		assert.InDelta(t, 60, time.Since(began).Seconds(), 1)

		out, _ = r.exec(p, "bash", "-c", "timeout 5 cat | cat; sleep 3600 | true; echo done")
		assert.Equal(t, "done\n", out)
	})
}

func TestAChaptersImageRunsACommandInPlaceOfItsProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.machines.SetImage("mysql:5.7", database)
		p := pod("client", "mysql:5.7")
		p.Spec.Containers[0].Args = []string{"hostname"}
		r.start(p)
		synctest.Wait()
		assert.Zero(t, r.ended(p).ExitCode)
	})
}
