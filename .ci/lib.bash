# What .ci/run and .ci/deep share. To be sourced in the project's root.
set -euo pipefail
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

run() {
  printf '\n\033[1m$ %s\033[0m\n' "$*"
  [ -z "${plan-}" ] || return 0
  local start=$SECONDS status=0
  "$@" || status=$?
  printf '  (%d s)\n' "$((SECONDS - start))"
  return $status
}

# A browser, the same without a window, the fonts that a page falls back on, what
# plays a page's WebAssembly without a browser, and what images of real containers are
# made of. It is not the whole mariadb-server: that brings a service, and settings that
# the images must not have. The caller names packages that it needs besides.
install() {
  local packages=(chromium chromium-headless-shell fonts-liberation nodejs runc
    busybox-static nginx-light ncat mariadb-backup mariadb-server-core mariadb-client-core
    mariadb-client "$@") missing sudo=
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

# A scene of each chapter, where all of them would take too long.
scenes='TestScenes/0./(pod-life|deployment|rollout|scale|demand)$'

# The race detector of Go 1.26 stops now and then, by an error of its own (CHECK failed:
# tsan_rtl.cpp), where timers fire in a bubble of testing/synctest on two processors at
# once: golang/go#78156. On one it finds a race as well, since it goes by who waits for
# whom. Packages run side by side. (Go 1.27 has mended it, but its net/http leaves a
# goroutine at a mutex when a body is closed, and in a bubble time then stands still.)
with_race_detector() { GOMAXPROCS=1 GOFLAGS="${GOFLAGS-} -p=2" "$@"; }
