package script

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Verb is an event that is not a command:
//
//	advance 19s                 time passes
//	advance until quiet         until nothing has changed for a quarter of an hour;
//	                            an hour at most
//	fail image nginx:1.27       it cannot be pulled any more
//	heal image nginx:1.27       it can
//	drop watches                the controllers' watches lose their connections
//	drop deployment             the next event doesn't reach this one's queue
//	late pods 5s                caches hear of each Pod so much later; 0s: at once again
//	conflict deployment         its next update is refused
//	lose deployment             its next write is made, and the answer gets lost
//	pause                       no controller takes another key
//	pause deployment            this one takes none
//	step deployment             it takes one, the first that waits
//	go-on deployment            it goes on; without a name, all do
//	why deployment/web          what an object waits for
//	resync                      the controllers are told of all objects again
//	crash                       all controllers end; kubelets are among them
//	crash after a write         all end as soon as one has written something
//	crash replication           one ends, in memory and queue
//	restart                     controllers start, knowing nothing
//	add node                    another machine
//	cut node-2                  its network cable is out
//	stop node-2                 it is switched off
//	start node-2                it is back, from either
//	edit FILE s/old/new/        in a file, a manifest or one that a command has
//	                            written; \n is the end of a line, as in sed
//	write FILE TEXT             a file gets a text; in it \n is the end of a line, \\ is \
//	stop                        ctrl-C to what runs in the background
//	stop 2                      to the second of it
type Verb struct {
	Name string // the first word
	Args []string
}

// verbs read the arguments of each verb.
var verbs = map[string]func(rest string) ([]string, error){
	"advance": func(rest string) ([]string, error) {
		if rest == UntilQuiet {
			return []string{rest}, nil
		}
		if d, err := time.ParseDuration(rest); err != nil || d <= 0 {
			return nil, usage("advance 1m30s")
		}
		return []string{rest}, nil
	},
	"fail":     anImage("fail"),
	"heal":     anImage("heal"),
	"drop":     named("drop watches"),
	"late":     aLateness,
	"conflict": named("conflict deployment"),
	"lose":     named("lose deployment"),
	"pause":    optional,
	"step":     named("step deployment"),
	"go-on":    optional,
	"why":      named("why deployment/web"),
	"resync":   alone("resync"),
	"crash":    optional,
	"restart":  alone("restart"),
	"add": func(rest string) ([]string, error) {
		if rest != "node" {
			return nil, usage("add node")
		}
		return nil, nil
	},
	"cut":   aMachine("cut"),
	"start": aMachine("start"),
	"stop": func(rest string) ([]string, error) {
		n, err := strconv.Atoi(rest)
		if rest != "" && !machine.MatchString(rest) && (err != nil || n < 1) {
			return nil, usage("stop 2")
		}
		return optional(rest)
	},
	"edit":  anEdit,
	"write": aFile,
}

// AfterAWrite is what crash may have in place of a controller.
const AfterAWrite = "after a write"

// UntilQuiet is what advance may have in place of a time.
const UntilQuiet = "until quiet"

// machine matches the name of a machine.
var machine = regexp.MustCompile(`^node-[1-9][0-9]*$`)

func aMachine(verb string) func(string) ([]string, error) {
	return func(rest string) ([]string, error) {
		if !machine.MatchString(rest) {
			return nil, usage(verb + " node-2")
		}
		return []string{rest}, nil
	}
}

// Machine returns the machine that a verb is about, or "" if it is about
// something else.
func (v *Verb) Machine() string {
	if len(v.Args) == 1 && machine.MatchString(v.Args[0]) {
		return v.Args[0]
	}
	return ""
}

var verbNames = slices.Sorted(maps.Keys(verbs))

func parseVerb(text string) (*Verb, error) {
	name, rest, _ := strings.Cut(text, " ")
	args, err := verbs[name](strings.TrimSpace(rest))
	return &Verb{name, args}, err
}

// aLateness reads a kind and a time.
func aLateness(rest string) ([]string, error) {
	args := strings.Fields(rest)
	if len(args) == 2 {
		if d, err := time.ParseDuration(args[1]); err == nil && d >= 0 {
			return args, nil
		}
	}
	return nil, usage("late pods 5s")
}

// optional reads a name, or nothing.
func optional(rest string) ([]string, error) {
	if rest == "" {
		return nil, nil
	}
	return []string{rest}, nil
}

// named reads a name. Which there are, the scene's lab knows.
func named(example string) func(string) ([]string, error) {
	return func(rest string) ([]string, error) {
		if rest == "" {
			return nil, usage(example)
		}
		return []string{rest}, nil
	}
}

func alone(verb string) func(string) ([]string, error) {
	return func(rest string) ([]string, error) {
		if rest != "" {
			return nil, usage(verb)
		}
		return nil, nil
	}
}

func anImage(verb string) func(string) ([]string, error) {
	return func(rest string) ([]string, error) {
		image, ok := strings.CutPrefix(rest, "image ")
		if !ok || strings.ContainsRune(image, ' ') || image == "" {
			return nil, usage(verb + " image nginx:1.27")
		}
		return []string{image}, nil
	}
}

// anEdit reads "FILE s/old/new/", as sed does: another sign may take the place of
// the slashes, \n is the end of a line, and behind a backslash any other sign is
// itself.
func anEdit(rest string) ([]string, error) {
	form := usage("edit FILE s/old/new/")
	file, edit, _ := strings.Cut(rest, " ")
	if len(edit) < 4 || edit[0] != 's' {
		return nil, form
	}
	parts := partsOf(edit[1:])
	if len(parts) != 3 || parts[0] == "" || parts[2] != "" {
		return nil, form
	}
	return []string{file, parts[0], parts[1]}, isInside(file)
}

// aFile reads "FILE TEXT".
func aFile(rest string) ([]string, error) {
	file, text, ok := strings.Cut(rest, " ")
	if !ok {
		return nil, usage(`write FILE first line\nsecond line\n`)
	}
	return []string{file, strings.NewReplacer(`\\`, `\`, `\n`, "\n").Replace(text)}, isInside(file)
}

// isInside refuses a file that is not in the scene's folder.
func isInside(file string) error {
	if path.IsAbs(file) || strings.HasPrefix(path.Clean(file), "..") {
		return fmt.Errorf("%s is outside of the scene's folder", file)
	}
	return nil
}

// partsOf returns what stands between the signs with which a text begins.
func partsOf(text string) []string {
	parts := []string{""}
	for i := 1; i < len(text); i++ {
		sign := text[i]
		switch {
		case sign == text[0]:
			parts = append(parts, "")
			continue
		case sign == '\\' && i+1 < len(text):
			i++
			if sign = text[i]; sign == 'n' {
				sign = '\n'
			}
		}
		parts[len(parts)-1] += string([]byte{sign})
	}
	return parts
}
