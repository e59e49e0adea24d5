package inpage

import "syscall/js"

// Run runs a program in the page's worker: a file that the linker has made, or "compile"
// or "link". What it prints is returned when it has ended, with its exit code.
func Run(program, dir string, environment []string, arguments ...string) (output []byte, code int) {
	done := make(chan struct{})
	ended := js.FuncOf(func(_ js.Value, with []js.Value) any {
		output, code = []byte(with[0].String()), with[1].Int()
		close(done)
		return nil
	})
	defer ended.Release()
	js.Global().Call("runProgram", program, dir, list(environment), list(arguments), ended)
	<-done
	return output, code
}

func list(texts []string) (values []any) {
	for _, text := range texts {
		values = append(values, text)
	}
	return values
}
