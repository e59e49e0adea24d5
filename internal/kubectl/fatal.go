package kubectl

import (
	"context"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"unsafe" // for go:linkname, too

	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// life is that of one command: a goroutine of the command that would end the
// process ends the command.
type life struct {
	end     func()
	once    sync.Once
	message string
	code    int
}

// lives holds those of the commands that run, by the labels of their
// goroutines. Goroutines that these start have the same ones: kubectl cp, for
// example, ends in one of its own.
var lives sync.Map

//go:linkname goroutineLabels runtime/pprof.runtime_getProfLabel
func goroutineLabels() unsafe.Pointer

// endOnFatal replaces kubectl's os.Exit: it ends the goroutine, and the command
// that it belongs to.
var endOnFatal = sync.OnceFunc(func() {
	cmdutil.BehaviorOnFatal(func(message string, code int) {
		if l, ok := lives.Load(goroutineLabels()); ok {
			l.(*life).fail(message, code)
		}
		runtime.Goexit()
	})
})

// fail notes why the command ends, the first time.
func (l *life) fail(message string, code int) {
	l.once.Do(func() {
		l.message, l.code = message, code
		l.end()
	})
}

// ending runs a command and returns the exit code with which it ends; end makes
// it end soon.
func (c Command) ending(end func(), run func() error) (code int) {
	endOnFatal()
	l := &life{end: end}
	done := make(chan struct{})
	go func() {
		defer close(done)
		pprof.SetGoroutineLabels(pprof.WithLabels(
			context.Background(), pprof.Labels("command", "kubectl")))
		lives.Store(goroutineLabels(), l)
		defer lives.Delete(goroutineLabels())
		cmdutil.CheckErr(run())
	}()
	<-done
	l.once.Do(func() {}) // it has ended; what comes now comes too late
	if l.message != "" {
		fmt.Fprintln(c.Err, strings.TrimSuffix(l.message, "\n"))
	}
	return l.code
}

// fail ends a command that could not begin.
func (c Command) fail(err error) int {
	return c.ending(func() {}, func() error { return err })
}
