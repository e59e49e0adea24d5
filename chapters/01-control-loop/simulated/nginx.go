package simulated

import (
	"context"
	"fmt"
	"net/http"
)

// Nginx implements Program: it welcomes every visitor on port 80.
func Nginx(ctx context.Context, p *Process) int {
	l, err := p.Listen(80)
	if err != nil {
		return 1
	}
	server := &http.Server{Handler: http.HandlerFunc(welcome)}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	server.Serve(l)
	return 0
}

func welcome(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintln(w, "Welcome to nginx!")
}
