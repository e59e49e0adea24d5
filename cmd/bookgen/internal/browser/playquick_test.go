package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A script that was copied from a link runs kubectl, and nothing that the link's author
// has put between its words.
func TestPlayTheCommandsOfALinkRunKubectlAlone(t *testing.T) {
	p := playWithoutEngine(t)
	tb := newTab(t, 1440)
	dir := t.TempDir()
	harm := "touch " + dir + "/harmed"
	r := run{Begins: "one-node", Lines: []string{
		"kubectl get pods; " + harm, "kubectl get pods | " + harm, "kubectl get $(" + harm + ")", "kubectl get `" + harm + "`", `kubectl get "$(` + harm + `)"`,
		"kubectl get pods && " + harm, "kubectl get pods & " + harm, "kubectl get pods > " + dir + "/harmed", "kubectl get pods > ../harmed", "kubectl get <(" + harm + ")",
		"kubectl get 'a' '; " + harm + " '", "kubectl get ' ; " + harm, `kubectl get \'; ` + harm, "kubectl get pods 2>" + dir + "/harmed",
		`write a'$(` + harm + `)'b x\n`, "write " + dir + "/harmed x", "write ../harmed x", `write sub/$(id) END\nEND_\n`,
		`kubectl create configmap a --from-literal='it''s'="two words" && kubectl get cm -o name > names`,
		`kubectl get pod web-{0,1} '{a,b}' a\ b\\`,
	}}
	tb.opens(p.url + "play.html#" + r.link(t))
	ask[bool](tb, `!!(navigator.clipboard.writeText = async (text) => { window.copied = text; })`)
	tb.button("as commands")
	tb.wait("!!window.copied")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "bin"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "here"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "kubectl"), []byte("#!/bin/bash\nprintf '<%s>' \"$@\" >> "+dir+"/asked; echo >> "+dir+"/asked\n"), 0o755))
	bash := exec.Command("bash", "-s")
	bash.Dir, bash.Env, bash.Stdin = filepath.Join(dir, "here"), []string{"PATH=" + dir + "/bin:/usr/bin:/bin"}, strings.NewReader(ask[string](tb, "window.copied"))
	out, err := bash.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.NoFileExists(t, filepath.Join(dir, "harmed"))
	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	require.NoError(t, err)
	assert.Contains(t, string(asked), "<create><configmap><a><--from-literal=its=two words>\n", "what a scene can have is as it was")
	assert.Contains(t, string(asked), `<get><pod><web-0><web-1><{a,b}><a b\>`+"\n")
	assert.FileExists(t, filepath.Join(dir, "here", "names"))
}

func TestPlayWhatWasBegunDoesNotEndInAnother(t *testing.T) {
	p := playWithoutEngine(t)
	tb := newTab(t, 1440)
	tb.opens(p.url + "play.html#" + run{"one-node", []string{"kubectl get pods"}, "$ kubectl get pods", ""}.link(t))
	ask[bool](tb, standsIn)
	ask[bool](tb, `window.holds = true`)
	tb.button("play it here")
	tb.wait("waits.length === 1")
	tb.button("cut node-1")
	tb.wait(`document.querySelector("#play .live [role=status]").textContent.startsWith("playing: wait for its end")`)
	tb.chooses("taints")
	ask[bool](tb, "release() ?? true")
	tb.button("a minute")
	tb.wait(printedLog + `.textContent.includes("advance 1m")`)
	assert.NotContains(t, ask[string](tb, printedLog+".textContent"), "get pods")
	const lines = `linked.unpack(location.hash.slice(1)).then((run) => run.begins + ": " + run.lines)`
	tb.wait(`location.hash && ` + lines + `.then((all) => all === "taints: advance 1m")`)
}

// What this page has played, it also opens again.
func TestPlayARunIsReadAgainWhateverItPrints(t *testing.T) {
	p := playWithoutEngine(t)
	for name, prints := range map[string]string{
		"control characters": `"\\n\\u001b[1mred\\r"`, "much": `"\\n" + "a".repeat(500000)`, "what doesn't pack": `"\\n" + Array.from({ length: 150000 }, () => String.fromCharCode(33 + Math.random() * 90)).join("")`,
	} {
		tb := newTab(t, 1440)
		tb.opens(p.url + "play.html")
		ask[bool](tb, standsIn)
		ask[bool](tb, `!!(window.prints = `+strings.ReplaceAll(prints, `\\`, `\`)+`)`)
		tb.button("a minute")
		tb.wait(`location.hash !== ""`)
		tb.reloads()
		tb.wait(printedLog + `.textContent.includes("advance 1m")`)
		assert.NotContains(t, ask[string](tb, claimSays), "can't be played", name)
	}
}

// playing returns the page, with a stand-in for its engine.
func playing(t *testing.T, width int64) *tab {
	t.Helper()
	tb := newTab(t, width)
	tb.opens(playWithoutEngine(t).url + "play.html")
	ask[bool](tb, standsIn)
	return tb
}

func TestPlayALineThatNoLinkCanHoldIsNotPlayed(t *testing.T) {
	tb := playing(t, 1440)
	tb.opensFile("web.yaml")
	tb.retypes("a: " + strings.Repeat("b", 20_000))
	tb.button("apply")
	tb.wait(`document.querySelector("#play .live .wrong")?.textContent.includes("This can't be played: a line has 20")`)
	tb.opensFile("service.yaml")
	ask[bool](tb, `document.execCommand("selectAll"), document.execCommand("insertText", false, "a:\tb")`)
	tb.button("save")
	tb.wait(`location.hash !== ""`)
	tb.reloads()
	tb.opensFile("service.yaml")
	assert.Equal(t, "a:\tb", ask[string](tb, `document.querySelector(".cm-content").innerText.trim()`), "a tab can be had")
}

// Other pages have commands of several lines, which a shell reads as they stand.
func TestPlayWhatIsPastedIsReadAsAShellReadsIt(t *testing.T) {
	p := playWithoutEngine(t)
	tb := newTab(t, 1440)
	tb.opens(p.url + "play.html")
	ask[bool](tb, standsIn)
	for text, want := range map[string][]string{
		"cat <<EOF | kubectl apply -f -\nkind: Pod\n  a: \\\\ \\$a \\b $\nEOF\nkubectl get pods\n": {`write manifests/pasted.yaml kind: Pod\n  a: \\ $a \\b $\n`, "kubectl apply -f manifests/pasted.yaml", "kubectl get pods"},
		"$ kubectl create -n a -f- <<-'END'\r\nkind: Pod\r\nEND":                                   {`write manifests/pasted.yaml kind: Pod\n`, "kubectl create -n a -f manifests/pasted.yaml"},
		"kubectl apply -f - <<-E\n\tkind: Pod\n\t  a: b\n\tE\nkubectl get pods":                    {`write manifests/pasted.yaml kind: Pod\n  a: b\n`, "kubectl apply -f manifests/pasted.yaml", "kubectl get pods"},
		"$ kubectl get pods \\\n>   -o name\n$ kubectl apply -f - <<E\n> a: b\n> E":                {"kubectl get pods -o name", `write manifests/pasted.yaml a: b\n`, "kubectl apply -f manifests/pasted.yaml"},
		"kubectl apply -f - << \"E\"\na: $b `c`\nE":                                                {`write manifests/pasted.yaml a: $b ` + "`c`" + `\n`, "kubectl apply -f manifests/pasted.yaml"},
		"kubectl apply -f - <<E\na: b\\\nE\nE":                                                     {`write manifests/pasted.yaml a: bE\n`, "kubectl apply -f manifests/pasted.yaml"},
		"kubectl apply -f - <<'E'\na: b\\\nE":                                                      {`write manifests/pasted.yaml a: b\\\n`, "kubectl apply -f manifests/pasted.yaml"},
		"kubectl apply -f - <<\\E\na: \\\\ $b\nE":                                                  {`write manifests/pasted.yaml a: \\\\ $b\n`, "kubectl apply -f manifests/pasted.yaml"},
		"kubectl get pods a\\\\\nadvance 1m":                                                       {`kubectl get pods a\\`, "advance 1m"},
		"# a Pod\n\nkubectl run a \\\n    --image=b\n":                                             {"kubectl run a --image=b"},
		"kubectl apply -f - <<< 'kind: Pod'\nadvance 1m":                                           {"kubectl apply -f - <<< 'kind: Pod'", "advance 1m"},
	} {
		tb.opens(p.url + "play.html")
		ask[bool](tb, standsIn)
		tb.pastes(text)
		tb.wait(`location.hash !== ""`)
		assert.Equal(t, strings.Join(want, "\n"), ask[string](tb, `linked.unpack(location.hash.slice(1)).then((run) => run.lines.join("\n"))`), text)
	}
}

func (tb *tab) pastes(text string) {
	ask[bool](tb, `document.querySelector("#play .live input").dispatchEvent(new ClipboardEvent("paste", {clipboardData: (() => { const d = new DataTransfer(); d.setData("text", `+quote(text)+`); return d; })(), cancelable: true})) || true`)
}

func TestPlayAHereDocumentThatCannotBeReadIsRefused(t *testing.T) {
	tb := playing(t, 1440)
	for text, why := range map[string]string{
		"kubectl apply -f - <<E\nkind: Pod":        "the here-document goes on until a line E, which is missing.",
		"kubectl apply -f - <<E\na: $HOME/b\nE":    "there are no variables and substitutions here, and the here-document has $HOME: <<'E' keeps that as it stands.",
		"kubectl apply -f - <<E\na: \\$b $(id)\nE": "there are no variables and substitutions here, and the here-document has $(: <<'E' keeps that as it stands.",
	} {
		tb.pastes(text)
		tb.wait(`document.querySelector("#play .live [role=status]").textContent === ` + quote("What was pasted can't be played: "+why))
	}
	assert.Empty(t, ask[string](tb, "location.hash"))
}

func TestPlayKubectlAloneSaysWhatItCan(t *testing.T) {
	tb := playing(t, 1440)
	ask[bool](tb, `document.querySelector("#play .live input").focus() ?? true`)
	tb.press("kubectl" + enter)
	tb.wait(printedLog + `.textContent.includes("$ kubectl help")`)
}

// kubectl proxy is one: no connection leads into a page.
func TestPlayALineThatWaitsForNothingHereIsSaid(t *testing.T) {
	tb := playing(t, 1440)
	ask[bool](tb, `!!(window.Worker.prototype.postMessage = function ({ scene }) {
		setTimeout(() => this.onmessage({ data: scene ? { ended: "--- FAIL: Page\npanic: deadlock: all goroutines in bubble are blocked [recovered]\n\ngoroutine 29" } : { module: {} } }));
	})`)
	tb.button("a minute")
	tb.wait(`document.querySelector("#play .live .wrong")?.textContent === "This waits for something that can’t come in a page, such as a connection to a port."`)
}
