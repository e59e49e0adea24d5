package engine

// tags leave out of libraries what they let one leave out: HTTP/2, since nothing in
// a page is reached over a network, and YAML in the assertions of tests.
const tags = "nethttpomithttp2,testify_yaml_fail"

// libraries are compiled with changes. Each is a copy of the module in Go's cache,
// made when it is needed; none is kept in the book. Removing line tables, TLS and
// a second JSON from Go's own packages would save an eighth, and break with the
// next version of Go.
var libraries = []library{
	{
		module: "github.com/moby/term",
		why: "It asks a Unix for the modes of its terminal, and takes everything that " +
			"isn't Windows for a Unix. A page has no terminal: nothing is one, and " +
			"nothing can be made one.",
		files: "term",
		edits: []edit{
			{file: "term_unix.go", old: "//go:build !windows", new: "//go:build !windows && !js"},
			{file: "termios_unix.go", old: "//go:build !windows", new: "//go:build !windows && !js"},
			{file: "termios_nonbsd.go", old: "//go:build !darwin", new: "//go:build !js && !darwin"},
		},
	},
	{
		module: "k8s.io/kubectl",
		why: "It takes everything that isn't Windows for a Unix, in four places: the " +
			"mask of new files, the signal of a terminal that was closed, that of one " +
			"that has a new size, and the call that puts a plugin in kubectl's place. A " +
			"page has none of them, and a scene has no plugins. Its translations are " +
			"left out, with what reads them, since a page speaks English, and so is " +
			"kustomize: it is a twelfth of the engine, half of that a packed schema, and " +
			"a page has no kustomization to build.",
		files: "kubectl",
		edits: []edit{
			{file: "pkg/util/umask.go", old: "//go:build !windows", new: "//go:build !windows && !js"},
			{file: "pkg/util/term/resizeevents.go", old: "//go:build !windows", new: "//go:build !windows && !js"},
			{file: "pkg/util/interrupt/interrupt.go", old: "syscall.SIGHUP, "},
			{file: "pkg/cmd/plugin.go", old: "\t\"syscall\"\n"},
			{
				file: "pkg/cmd/plugin.go",
				old:  "syscall.Exec(executablePath, append([]string{executablePath}, cmdArgs...), environment)",
				new:  "&exec.Error{Name: executablePath, Err: exec.ErrNotFound}",
			},
			ownTemplates("pkg/util/templates/templater.go"),
			ownTemplates("pkg/explain/v2/generator.go"),
			ownTemplates("pkg/explain/v2/funcs.go"),
		},
	},
	{
		module: "k8s.io/cli-runtime",
		why: "A template of Go's calls any method by its name. So the linker keeps all " +
			"exported methods of all types, wherever templates are used: a quarter of " +
			"the module. The copy of text/template in here calls those that kubectl's " +
			"templates name, and no others. A reader's own go-template has data " +
			"without methods. And kustomize, as in kubectl.",
		std:   map[string]string{"pkg/template": "text/template", "pkg/template/fmtsort": "internal/fmtsort"},
		files: "cli-runtime",
		edits: []edit{
			ownTemplates("pkg/printers/template.go"),
			{file: "pkg/template/exec.go", old: `"internal/fmtsort"`, new: `"k8s.io/cli-runtime/pkg/template/fmtsort"`},
			{
				file: "pkg/genericclioptions/config_flags.go", old: "\tif f.WrapConfigFn != nil {\n\t\treturn f.WrapConfigFn(c)",
				new: "\tc.ContentType = \"application/json\"\n\tif f.WrapConfigFn != nil {\n\t\treturn f.WrapConfigFn(c)",
			},
			{file: "pkg/template/exec.go", old: "ptr.MethodByName(fieldName)", new: "methodByName(ptr, fieldName)"},
			{
				file: "pkg/resource/kustomizevisitor.go", old: "\t\"bytes\"\n\n\t\"sigs.k8s.io/kustomize/api/krusty\"\n",
				new: "\t\"errors\"\n\n",
			},
			{
				file: "pkg/resource/kustomizevisitor.go", old: "\tkOpts := krusty.MakeDefaultOptions()", upTo: "\n}",
				new: "\treturn errors.New(\"kustomize is not in this page; it is in a kubectl of your own\")",
			},
		},
	},
	{
		module: "k8s.io/api",
		why: "A store and some of kubectl's requests have objects as protobuf, and the " +
			"schema of an API has the words of each field. A page's server knows a " +
			"quarter of the groups and versions; for the others, but a few that kubectl " +
			"sends, nobody asks in either form. And nobody reads protobuf, a twelfth of " +
			"the engine's code: in a page kubectl sends JSON. The words stand in tables.",
		omits: []string{
			"*/*/generated.pb.go",
			"*/*/types_swagger_doc_generated.go",
		},
		keeps:  askedFor,
		strips: askedFor,
	},
	{
		module: "k8s.io/kubernetes",
		why: "Its printers know all kinds that there are, in all their versions: a page " +
			"prints those that are served.",
		needs: []string{
			"pkg/api", "pkg/apis", "pkg/capabilities", "pkg/features", "pkg/fieldpath",
			"pkg/printers", "pkg/util", "pkg/volume/validation",
		},
		omits: []string{"pkg/printers/internalversion/import_known_versions.go"},
	},
	{
		module: "k8s.io/apiserver",
		why: "Admission can give an object to a webhook in another version, or to an " +
			"expression in CEL, a fortieth of the engine. A page has neither.",
		needs:  []string{"pkg"},
		omits:  []string{"pkg/admission/conversion.go"},
		strips: []string{"pkg/apis/audit/v1"},
	},
	{
		module: "go.opentelemetry.io/otel/trace",
		why: "A span can record an error, in words of which there are a thousand, and " +
			"a page has no spans.",
		edits: []edit{
			{file: "auto.go", old: "\t\"runtime\"\n"},
			{file: "auto.go", old: "\tsemconv \"go.opentelemetry.io/otel/semconv/v1.41.0\"\n"},
			{file: "auto.go", old: "\tattrs := cfg.Attributes()\n\tattrs = append(", upTo: "\n}\n\nfunc typeStr", new: "\t_ = cfg"},
		},
	},
	{
		module: "k8s.io/component-base",
		why: "It can send traces of requests to a collector, by gRPC: nothing in a page " +
			"is sent anywhere.",
		omits: []string{"tracing/utils.go"},
	},
	{
		module: "sigs.k8s.io/structured-merge-diff/v6",
		why: "It validates client-go's schema of all types before it reads it, 400 kB of " +
			"YAML: a third of the time until a page's first answer. The schema is the " +
			"same wherever it is read, and elsewhere it is validated.",
		edits: []edit{
			{
				file: "typed/parser.go",
				old:  "\t_, err := ssParser.Type(\"schema\").FromYAML(schema)\n",
				upTo: "\tp, err := create(schema)\n",
			},
		},
	},
	{
		module: "mvdan.cc/sh/v3",
		why: "It compiles, but its pipes in a page are io.Pipes: a writer waits for its " +
			"reader, and neither can look first. Those of a Unix hold 64 KiB. What ends " +
			"first, of two programs with a pipe between them, would differ from what " +
			"the pages print.",
		files: "sh",
	},
}

// askedFor are the groups that a page's server and its kubectl ask for.
var askedFor = []string{
	"apps/v1", "authentication/v1", "authorization/v1", "autoscaling/v1", "batch/v1", "coordination/v1",
	"core/v1", "discovery/v1", "events/v1", "networking/v1", "policy/v1", "resource/v1",
	"scheduling/v1", "storage/v1",

	"authentication/v1alpha1", "authentication/v1beta1", // kubectl auth whoami tries them
	"autoscaling/v2",      // kubectl autoscale sends it
	"rbac/v1",             // kubectl create role does, and sorts rules as text
	"scheduling/v1alpha3", // a Job has parts of it

	// Printers have the words of their fields.
	"apiserverinternal/v1alpha1", "certificates/v1", "certificates/v1beta1",
	"coordination/v1alpha2", "flowcontrol/v1", "lifecycle/v1alpha1",
	"rbac/v1beta1", "scheduling/v1beta1",
}

// ownTemplates has a file use the templates that do not keep all methods.
func ownTemplates(file string) edit {
	return edit{file: file, old: `"text/template"`, new: `"k8s.io/cli-runtime/pkg/template"`}
}
