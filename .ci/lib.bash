# What .ci/run and .ci/deep share. To be sourced in the project's root.
set -euo pipefail
export RECONCILE_BROWSER=required # the browser's tests fail without one
export RECONCILE_SLOW=1           # the tests that a reader's go test leaves out
: "${RECONCILE_REAL:=}"
results=$(mktemp -d)

# unsteady names the tests that passed only when they were alone.
unsteady() {
  { cat "$results"/*.again 2>/dev/null || true; } |
    sed -n 's/^\(.*\): \([0-9]*\) runs, \([0-9]*\) failures$/\1 \2 \3/p' |
    awk '$3 < $2 { print "unsteady: " $1 }'
}
trap 'unsteady; rm -rf "$results"' EXIT

run() {
  printf '\n\033[1m$ %s\033[0m\n' "$*"
  local start=$SECONDS status=0
  "$@" || status=$?
  printf '  (%d s)\n' "$((SECONDS - start))"
  return $status
}

# A browser, what plays a page's WebAssembly without one, and what images of real
# containers are made of. It is not the whole mariadb-server: that brings a
# service, and settings that the images must not have. The caller names packages that
# it needs besides.
install() {
  local packages=(chromium nodejs runc busybox-static nginx-light ncat mariadb-backup
    mariadb-server-core mariadb-client-core mariadb-client "$@") missing sudo=
  missing=$(dpkg-query -W -f '${db:Status-Status}\n' "${packages[@]}" 2>&1 |
    grep -vx installed || true)
  [ -n "$missing" ] || return 0
  [ "$(id -u)" = 0 ] || sudo=sudo
  run $sudo apt-get update -qq
  run $sudo apt-get install -y -qq --no-install-recommends "${packages[@]}"
}

# Tests as a page has their code: WebAssembly, in node.
in_a_page() {
  local flags
  flags=$(go run ./cmd/bookgen goflags)
  run env GOFLAGS="$flags" GOOS=js GOARCH=wasm go test -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" "$@"
}

# Real containers, where they can be had: a machine that is a container itself may
# allow none. Then this says so, and their tests are skipped.
look_for_containers() {
  export RECONCILE_REAL=required
  run go run ./cmd/lab doctor && return
  export RECONCILE_REAL=no
  echo "NO REAL CONTAINERS ON THIS MACHINE: the tests of them are skipped"
}

# The packages whose tests meet the world, those of them that may take longer
# than five minutes on a busy machine, and those in which goroutines of ours run.
both() { grep -xFf <(echo "$1") <<<"$2" || true; }
but() { grep -vxFf <(echo "$1") <<<"$2" || true; } # the second without the first
long='./chapters/03-rolling-update/... ./chapters/06-daemonset/... ./chapters/07-mysql-cluster/...
  ./cmd/bookgen/internal/browser ./cmd/lab/... ./internal/exercise/... ./internal/images/... ./internal/lab/... ./internal/scene'
# But for real containers: those wait, and do not race.
concurrent='./chapters/... ./internal/apiserver/... ./internal/events/... ./internal/images/...
  ./internal/kubetest/... ./internal/lab/... ./internal/scene/... ./internal/variables/...'

long=$(go list $long)
everything=$(go list ./...)
world=$(go list $(sed '/^#/d' .ci/world))
racing=$(but "$(go list ./chapters/07-mysql-cluster/oci/...)" "$(go list $concurrent)")
named=$(go list $(git grep -l '^func Test.*Real' -- '*_test.go' ':!internal/upstream' ':!takeover' | xargs -n1 dirname | sort -u | sed 's|^|./|'))
named=$(but "$world" "$named")

# virtual runs tests that meet nothing but themselves, in virtual time: they have
# no excuse. Tests with Real in their names meet the world, and are left out.
virtual() { # flags, packages
  run go test -skip Real -timeout 5m $1 $(but "$long" "$2")
  local packages
  packages=$(both "$long" "$2")
  [ -z "$packages" ] || run go test -skip Real -timeout 20m $1 $packages
}

# real runs tests that need time, processes, sockets, a browser or containers as
# they are. What fails is run once more, alone, and named at the end.
real() { # flags, packages
  [ -n "$2" ] || return 0
  local report
  report=$(mktemp -p "$results" --suffix .again)
  run go tool gotestsum --format pkgname-and-test-fails --format-hide-empty-pkg \
    --rerun-fails=1 --rerun-fails-max-failures=5 --rerun-fails-abort-on-data-race \
    --rerun-fails-report="$report" --packages="${2//$'\n'/ }" -- -timeout 20m $1
}
