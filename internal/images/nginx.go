package images

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/afero"

	"reconcile/internal/images/commands"
	"reconcile/internal/images/unix"
)

// Tags without a number mean these versions; and the last there are.
const (
	nginxMainline = "1.31.0"
	nginxStable   = "1.30.0"
	nginxFirst    = 7
	nginxLast     = 31
)

var (
	nginxDebian = sync.OnceValue(func() *image { return nginxOn(debianImage()) })
	nginxAlpine = sync.OnceValue(func() *image { return nginxOn(alpineImage()) })
)

// nginxOn returns an image of nginx on a distribution.
func nginxOn(distribution *image) *image {
	i := distribution.with(map[string]unix.Command{
		"/docker-entrypoint.sh": entrypoint,
		"/usr/sbin/nginx":       nginxCommand,
		"/usr/bin/curl":         commands.Curl,
	})
	const scripts = "/docker-entrypoint.d/" // the configuration is as they leave it
	i.base.MkdirAll(scripts, 0o755)
	for _, name := range []string{
		"10-listen-on-ipv6-by-default.sh", "15-local-resolvers.envsh",
		"20-envsubst-on-templates.sh", "30-tune-worker-processes.sh",
	} {
		afero.WriteFile(i.base, scripts+name, []byte("#!/bin/sh\n"), 0o755)
		i.base.Chtimes(scripts+name, built, built)
	}
	i.base.Chtimes(scripts, built, built)
	i.entrypoint = []string{"/docker-entrypoint.sh"}
	i.cmd = []string{"nginx", "-g", "daemon off;"}
	i.stop = unix.SIGQUIT
	i.files = map[string]string{
		nginxRoot + "/index.html":        welcomePage,
		nginxRoot + "/50x.html":          errorPage,
		"/etc/nginx/nginx.conf":          nginxConf,
		"/etc/nginx/conf.d/default.conf": nginxDefaultConf,
	}
	return i
}

// nginx returns the image of a tag: latest, stable-alpine, 1.27, 1.27.3-perl
// and so on. A tag that leaves the last number out means its version's first.
func nginx(tag string) *image {
	number, variant, ok := nginxVersion(tag)
	if !ok {
		return nil
	}
	i := *nginxDebian()
	if strings.Contains(variant, "alpine") {
		i = *nginxAlpine()
	}
	i.env = append(i.env[:len(i.env):len(i.env)], "NGINX_VERSION="+number)
	return &i
}

// nginxVariant is what a tag may have after its version.
var nginxVariant = regexp.MustCompile(
	`^(alpine(3\.\d+)?(-slim)?|bookworm|bullseye|trixie)?(-?(perl|otel))?$`)

func nginxVersion(tag string) (number, variant string, ok bool) {
	name, rest, _ := strings.Cut(tag, "-")
	switch {
	case name == "latest" && rest != "":
		return "", "", false
	case name == "latest", name == "mainline":
		number, variant = nginxMainline, rest
	case name == "stable":
		number, variant = nginxStable, rest
	case nginxVariant.MatchString(tag):
		number, variant = nginxMainline, tag
	case tag == "1" || strings.HasPrefix(tag, "1-"):
		number, variant = nginxMainline, rest
	default:
		v, with, isVersion := parseVersion(tag)
		if !isVersion || v[0] != 1 || v[1] < nginxFirst || v[1] > nginxLast ||
			v[2] > lastPatch {
			return "", "", false
		}
		number = fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
		variant = with
	}
	return number, variant, nginxVariant.MatchString(variant)
}

const nginxRoot = "/usr/share/nginx/html"

const welcomePage = `<!DOCTYPE html>
<html>
<head>
<title>Welcome to nginx!</title>
<style>
html { color-scheme: light dark; }
body { width: 35em; margin: 0 auto;
font-family: Tahoma, Verdana, Arial, sans-serif; }
</style>
</head>
<body>
<h1>Welcome to nginx!</h1>
<p>If you see this page, the nginx web server is successfully installed and
working. Further configuration is required.</p>

<p>For online documentation and support please refer to
<a href="http://nginx.org/">nginx.org</a>.<br/>
Commercial support is available at
<a href="http://nginx.com/">nginx.com</a>.</p>

<p><em>Thank you for using nginx.</em></p>
</body>
</html>
`

const errorPage = `<!DOCTYPE html>
<html>
<head>
<title>Error</title>
</head>
<body>
<h1>An error occurred.</h1>
</body>
</html>
`

const nginxConf = `user  nginx;
worker_processes  auto;

error_log  /var/log/nginx/error.log notice;
pid        /run/nginx.pid;

events {
    worker_connections  1024;
}

http {
    include       /etc/nginx/mime.types;
    default_type  application/octet-stream;
    access_log  /var/log/nginx/access.log  main;
    include /etc/nginx/conf.d/*.conf;
}
`

const nginxDefaultConf = `server {
    listen       80;
    server_name  localhost;

    location / {
        root   /usr/share/nginx/html;
        index  index.html index.htm;
    }
}
`
