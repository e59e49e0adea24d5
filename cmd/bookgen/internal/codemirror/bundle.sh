#!/bin/sh
# Makes codemirror.min.js anew, from the packages that package-lock.json names with
# their digests: go generate ./cmd/bookgen/internal/codemirror
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp bundle.mjs package.json package-lock.json "$folder"
npm ci --silent --no-audit --no-fund --ignore-scripts --prefix "$folder"
go run github.com/evanw/esbuild/cmd/esbuild@v0.28.2 "$folder/bundle.mjs" --bundle --minify --target=es2022 \
  --format=iife --global-name=codemirror --banner:js='/*! CodeMirror 6, with Lezer: MIT, see assets/codemirror-licence.txt */' \
  --outfile="$PWD/codemirror.min.js" --log-level=warning
{
  echo "codemirror.min.js is made of these npm packages, unchanged but for their size:"
  for package in $(cd "$folder/node_modules" && ls -d @codemirror/* @lezer/* @marijn/* crelt style-mod w3c-keyname); do
    printf '\n%s\n\n' "$package $(node -p "require('$folder/node_modules/$package/package.json').version")"
    cat "$folder/node_modules/$package/LICENSE"
  done
} > LICENSE
