package kubectl

import (
	"fmt"
	"strings"
	"sync"

	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// fatal is what kubectl's functions panic with where they would end the
// process. It unwinds the goroutine of one command, and concerns no other.
type fatal struct {
	message string
	code    int
}

// panicOnFatal has kubectl panic where it would call os.Exit, from here on.
var panicOnFatal = sync.OnceFunc(func() {
	cmdutil.BehaviorOnFatal(func(message string, code int) {
		panic(fatal{message, code})
	})
})

// ending runs a command and returns the exit code with which it ends.
func (c Command) ending(run func() error) (code int) {
	panicOnFatal()
	defer func() {
		switch end := recover().(type) {
		case nil:
		case fatal:
			if end.message != "" {
				fmt.Fprintln(c.Err, strings.TrimSuffix(end.message, "\n"))
			}
			code = end.code
		default:
			panic(end)
		}
	}()
	cmdutil.CheckErr(run())
	return 0
}

// fail ends a command that could not begin.
func (c Command) fail(err error) int {
	return c.ending(func() error { return err })
}
