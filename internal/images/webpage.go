package images

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"os"
	"path"
	"time"

	"github.com/spf13/afero"
)

// ServeHTTP implements http.Handler: files below nginxRoot, each request noted
// in the combined format.
func (s *webServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := time.Now().UTC()
	answer := &answer{ResponseWriter: w, code: http.StatusOK}
	w.Header().Set("Server", s.version)
	s.serve(answer, r)
	fmt.Fprintf(s.process.Stdout, "%s - - [%s] %q %d %d %q %q %q\n",
		client(r), at.Format("02/Jan/2006:15:04:05 -0700"),
		fmt.Sprintf("%s %s %s", r.Method, r.RequestURI, r.Proto),
		answer.code, answer.size, cmp.Or(r.Referer(), "-"),
		cmp.Or(r.UserAgent(), "-"), cmp.Or(r.Header.Get("X-Forwarded-For"), "-"))
}

// client returns the address that a request comes from, or this machine's own
// if it has none.
func client(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return "127.0.0.1"
	}
	return host
}

func (s *webServer) serve(w *answer, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.refuse(w, http.StatusMethodNotAllowed, "Not Allowed")
		return
	}
	name := path.Join(nginxRoot, path.Clean("/"+r.URL.Path))
	files := s.process.Box.Files
	info, err := files.Stat(name)
	if err == nil && info.IsDir() {
		folder := name
		name = path.Join(folder, "index.html")
		if info, err = files.Stat(name); err != nil {
			s.fault(r, "directory index of %q is forbidden", folder+"/")
			s.refuse(w, http.StatusForbidden, "Forbidden")
			return
		}
	}
	var file afero.File
	if err == nil {
		file, err = files.Open(name)
	}
	if err != nil {
		s.missing(r, name, err)
		s.refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	defer file.Close()
	w.Header().Set("Content-Type", cmp.Or(contentTypes[path.Ext(name)], "application/octet-stream"))
	w.Header().Set("ETag", fmt.Sprintf(
		`"%x-%x"`, info.ModTime().Unix(), info.Size()))
	http.ServeContent(w, r, name, info.ModTime(), file)
}

// contentTypes are those of nginx's mime.types that matter.
var contentTypes = map[string]string{
	".css": "text/css", ".gif": "image/gif", ".htm": "text/html",
	".html": "text/html", ".ico": "image/x-icon", ".jpg": "image/jpeg",
	".js": "application/javascript", ".json": "application/json",
	".png": "image/png", ".svg": "image/svg+xml", ".txt": "text/plain",
	".xml": "text/xml",
}

// missing notes that a file is not there.
func (s *webServer) missing(r *http.Request, name string, err error) {
	if os.IsNotExist(err) {
		s.fault(r, "open() %q failed (2: No such file or directory)", name)
	}
}

// fault notes what is wrong with a file that was asked for.
func (s *webServer) fault(r *http.Request, format, file string) {
	fmt.Fprintf(s.process.Stderr, "%s [error] 29#29: *%d "+format+", client: %s, "+
		"server: localhost, request: \"%s %s %s\", host: %q\n", now(),
		s.count.Add(1), file, client(r), r.Method, r.RequestURI, r.Proto, r.Host)
}

func (s *webServer) refuse(w *answer, code int, text string) {
	title := fmt.Sprintf("%d %s", code, text)
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(code)
	fmt.Fprintf(w, "<html>\r\n<head><title>%s</title></head>\r\n<body>\r\n"+
		"<center><h1>%s</h1></center>\r\n<hr><center>%s</center>\r\n"+
		"</body>\r\n</html>\r\n", title, title, s.version)
}

// answer counts the bytes of an answer.
type answer struct {
	http.ResponseWriter
	code, size int
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(code int) {
	a.code = code
	a.ResponseWriter.WriteHeader(code)
}

// Write implements io.Writer.
func (a *answer) Write(p []byte) (int, error) {
	n, err := a.ResponseWriter.Write(p)
	a.size += n
	return n, err
}
