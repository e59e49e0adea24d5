//go:build js

// Page plays scenes in a page's worker. It is no test, but scenes need a
// *testing.T for their bubbles, and package testing gives one to programs that
// simulate "go test".
//
// It sets globalThis.playScene, a function of three strings: the name of the
// chapter's folder, where the page has put its manifests below /chapters; the scene;
// and the file that messages name. It calls the function that is its fourth argument
// with the played scene, or with null and what is wrong; its fourth is which faults wait and
// have struck, by step, in JSON. A scene that has the steps of
// the one before and more goes on where that has ended. If the fifth argument is true,
// the callback's third is what the controllers did meanwhile, as package trace has it, in
// JSON; if it is a kind and a key, the versions of that object, and if "waits" follows
// them, what it has waited for.
//
// It sets globalThis.patchOf, a function of what kubectl edit would open, and of what was
// made of it, which returns the patch that kubectl edit would send, or null, and what is
// wrong. Then it calls globalThis.sceneReady, if there is one.
package main

import (
	"encoding/json"
	"os"
	"path"
	"syscall/js"
	"testing"

	"reconcile/internal/kubectl"
	"reconcile/internal/scene"
	"reconcile/internal/script"
	"reconcile/internal/trace/why"
)

func main() {
	any := func(string, string) (bool, error) { return true, nil }
	testing.Main(any, []testing.InternalTest{{Name: "Page", F: serve}}, nil, nil)
}

// request is a scene that is to be played.
type request struct {
	chapter, text, file string
	done, look          js.Value
	script              *script.Script // what the text says
}

// serve plays what is asked for, one scene after the other, for ever.
func serve(t *testing.T) {
	requests := make(chan request, 1)
	js.Global().Set("playScene", js.FuncOf(func(_ js.Value, args []js.Value) any {
		requests <- request{
			chapter: args[0].String(), text: args[1].String(), file: args[2].String(),
			done: args[3], look: args[4],
		}
		return nil
	}))
	js.Global().Set("patchOf", js.FuncOf(func(_ js.Value, args []js.Value) any {
		patch, err := kubectl.PatchOf([]byte(args[0].String()), []byte(args[1].String()))
		if err != nil {
			return []any{nil, err.Error()}
		}
		return []any{string(patch), nil}
	}))
	if ready := js.Global().Get("sceneReady"); !ready.IsUndefined() {
		ready.Invoke()
	}
	cache, err := os.MkdirTemp("", "cache-*")
	if err != nil {
		t.Fatal(err)
	}
	for r := awaited(requests); ; {
		t.Run(r.file, func(t *testing.T) { r = r.play(t, cache, requests) })
	}
}

// awaited returns the next request whose scene can be read.
func awaited(requests <-chan request) request {
	for {
		r := <-requests
		var err error
		if r.script, err = script.Parse(r.file, []byte(r.text)); err == nil {
			return r
		}
		r.done.Invoke(nil, err.Error())
	}
}

// play plays what is asked for, and what is asked then, as long as it goes on from
// there. It returns the first request that does not.
func (r request) play(t *testing.T, cache string, requests <-chan request) request {
	chapter := r.chapter
	err := scene.GoOn(t, r.script, path.Join("/chapters", chapter), cache, true,
		func(played scene.Played) *script.Script {
			faults, _ := json.Marshal(played.Faults) // strings
			r.done.Invoke(string(played.Text), nil, r.looked(played), string(faults))
			if r = awaited(requests); r.chapter != chapter {
				return nil
			}
			return r.script
		})
	if err != nil {
		r.done.Invoke(nil, err.Error())
		return awaited(requests)
	}
	return r
}

// looked returns what is asked for of a record, or null.
func (r request) looked(played scene.Played) any {
	var asked any
	switch r.look.Type() {
	case js.TypeBoolean:
		asked = played.Look.Entries()
	case js.TypeObject:
		kind, key := r.look.Index(0).String(), r.look.Index(1).String()
		if asked = played.Look.Versions(kind, key); r.look.Length() == 3 {
			asked = append([]why.Note{}, played.Waits[kind+" "+key]...)
		}
	default:
		return nil
	}
	text, _ := json.Marshal(asked) // objects that the API has written before
	return string(text)
}
