package httpserve

import (
	"fmt"
	"io"
	"os/exec"
	"runtime"
)

// OpenBrowser asks the system to open an address. If the system cannot, out says so:
// the address is on the terminal anyway.
func OpenBrowser(out io.Writer, address string) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	if err := exec.Command(name, args...).Start(); err != nil {
		fmt.Fprintf(out, "no browser opened: %v\n", err)
	}
}
