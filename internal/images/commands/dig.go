package commands

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"reconcile/internal/images/resolvconf"
	"reconcile/internal/images/unix"
)

// Dig asks for the records of a name, and shows the answer in full or, with
// +short, what it comes to. Only some images have it.
func Dig(ctx context.Context, p *unix.Process) int {
	conf := confOf(p)
	q := parseDig(p, conf)
	if q.server == "" {
		fmt.Fprintln(p.Stdout, ";; no servers could be reached")
		return 9
	}
	var reply *dns.Msg
	names := []string{q.name}
	if q.on["search"] {
		names = conf.Names(q.name)
	}
	for _, name := range names {
		var err error
		asked := new(dns.Msg).SetQuestion(dns.Fqdn(name), q.kind)
		asked.Id = 1 // it distinguishes nothing here, and a run is to be told from no other by it
		reply, err = p.Box.Network.Exchange(ctx, q.server, asked)
		if err != nil {
			fmt.Fprintln(p.Stdout, ";; no servers could be reached")
			return 9
		}
		if len(reply.Answer) > 0 {
			break
		}
	}
	q.show(p, reply)
	return 0
}

// question is what dig is called with.
type question struct {
	name   string
	kind   uint16
	server string
	on     map[string]bool // +search, +short, and the parts of what is shown
}

// parseDig reads dig's arguments, which are like no other command's.
func parseDig(p *unix.Process, conf resolvconf.Conf) question {
	q := question{name: ".", kind: dns.TypeNS, on: map[string]bool{
		"comments": true, "question": true, "answer": true, "authority": true,
		"additional": true, "stats": true}}
	if len(conf.Servers) > 0 {
		q.server = conf.Servers[0]
	}
	args := p.Args[1:]
	for i := 0; i < len(args); i++ {
		arg := args[i]
		kind, isKind := dns.StringToType[strings.ToUpper(arg)]
		switch {
		case strings.HasPrefix(arg, "@"):
			q.server = arg[1:]
		case arg == "+noall":
			clear(q.on)
		case strings.HasPrefix(arg, "+no"):
			q.on[arg[3:]] = false
		case strings.HasPrefix(arg, "+"):
			q.on[arg[1:]] = true
		case (arg == "-x" || arg == "-t") && i+1 < len(args):
			i++
			if arg == "-t" {
				q.kind = dns.StringToType[strings.ToUpper(args[i])]
			} else if reverse, err := dns.ReverseAddr(args[i]); err == nil {
				q.name, q.kind = reverse, dns.TypePTR
			}
		case strings.HasPrefix(arg, "-"), arg == "IN":
		case isKind:
			q.kind = kind
		default:
			q.name = arg
			if q.kind == dns.TypeNS {
				q.kind = dns.TypeA
			}
		}
	}
	return q
}

// show prints an answer.
func (q question) show(p *unix.Process, reply *dns.Msg) {
	if q.on["short"] {
		for _, record := range reply.Answer {
			fmt.Fprintln(p.Stdout, strings.TrimPrefix(record.String(), record.Header().String()))
		}
		return
	}
	if q.on["comments"] {
		fmt.Fprintf(p.Stdout, "\n; <<>> DiG 9.20.0 <<>> %s\n;; global options: +cmd\n"+
			";; Got answer:\n;; ->>HEADER<<- %s", strings.Join(p.Args[1:], " "),
			strings.TrimPrefix(reply.MsgHdr.String(), ";; "))
		fmt.Fprintf(p.Stdout, " QUERY: %d, ANSWER: %d, AUTHORITY: %d, ADDITIONAL: %d\n",
			len(reply.Question), len(reply.Answer), len(reply.Ns), len(reply.Extra))
	}
	if q.on["question"] {
		for _, asked := range reply.Question {
			q.section(p, "QUESTION", asked.String())
		}
	}
	q.records(p, "ANSWER", reply.Answer)
	q.records(p, "AUTHORITY", reply.Ns)
	q.records(p, "ADDITIONAL", reply.Extra)
	if q.on["stats"] {
		protocol := "UDP"
		if q.on["tcp"] {
			protocol = "TCP"
		}
		fmt.Fprintf(p.Stdout, "\n;; Query time: 0 msec\n;; SERVER: %s#53(%[1]s) (%s)\n"+
			";; WHEN: %s\n;; MSG SIZE  rcvd: %d\n\n", q.server, protocol,
			time.Now().UTC().Format("Mon Jan 02 15:04:05 UTC 2006"), reply.Len())
	}
}

func (q question) records(p *unix.Process, section string, records []dns.RR) {
	if !q.on[strings.ToLower(section)] || len(records) == 0 {
		return
	}
	lines := make([]string, len(records))
	for i, record := range records {
		lines[i] = record.String()
	}
	q.section(p, section, lines...)
}

func (q question) section(p *unix.Process, name string, lines ...string) {
	if q.on["comments"] {
		fmt.Fprintf(p.Stdout, "\n;; %s SECTION:\n", name)
	}
	for _, line := range lines {
		fmt.Fprintln(p.Stdout, line)
	}
}

// Getent shows the addresses of names, as libc finds them: in /etc/hosts, then
// by asking. Of the databases there is only hosts.
func Getent(ctx context.Context, p *unix.Process) int {
	if len(p.Args) < 3 || p.Args[1] != "hosts" && p.Args[1] != "ahosts" {
		fmt.Fprintln(p.Stderr, "Usage: getent hosts NAME...")
		return 1
	}
	code := 0
	for _, name := range p.Args[2:] {
		lines := inHosts(p, name)
		if lines == nil && net.ParseIP(name) == nil {
			found, _ := p.Box.Network.LookupHost(ctx, name) // none: it has no address
			for _, address := range found {
				lines = append(lines, []string{address, name})
			}
		}
		for _, words := range lines {
			fmt.Fprintf(p.Stdout, "%-15s %s\n", words[0], strings.Join(words[1:], " "))
		}
		if lines == nil {
			code = 2
		}
	}
	return code
}

// inHosts returns the lines of /etc/hosts that have a name, or an address.
func inHosts(p *unix.Process, name string) (found [][]string) {
	file, err := p.Box.Files.Open("/etc/hosts")
	if err != nil {
		return nil
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if words := strings.Fields(text); slices.Contains(words, name) {
			found = append(found, words)
		}
	}
	return found
}
