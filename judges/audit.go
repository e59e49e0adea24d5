package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// audited is what kube-apiserver notes of a write.
type audited struct {
	Verb string `json:"verb"`
	User struct {
		Username string `json:"username"`
	} `json:"user"`
	ObjectRef struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code   int    `json:"code"`
		Reason string `json:"reason"`
	} `json:"responseStatus"`
	Annotations map[string]string `json:"annotations"`
	SourceIPs   []string          `json:"sourceIPs"`
	Received    time.Time         `json:"requestReceivedTimestamp"`
	Answered    time.Time         `json:"stageTimestamp"`
}

// Writes are the writes of some controllers, as kube-apiserver counted them.
type Writes struct {
	Done    int            `json:"done"` // without those below
	Events  int            `json:"events"`
	Leases  int            `json:"leases"`
	What    map[string]int `json:"what"`    // "create pods": 2000
	Refused map[string]int `json:"refused"` // "Conflict": 3
	Where   map[string]int `json:"where"`   // "Conflict, update replicasets/status": 2
}

// count reads an audit log from an offset on, and counts the writes of the users
// that are chosen. It returns the log's new end.
func count(log string, from int64, users func(string) bool) (w Writes, end int64, err error) {
	w = Writes{What: map[string]int{}, Refused: map[string]int{}, Where: map[string]int{}}
	end, err = scan(log, from, func(a audited) {
		if users(a.User.Username) {
			w.add(a)
		}
	})
	return w, end, err
}

// scan hands out what an audit log holds from an offset on.
func scan(log string, from int64, each func(audited)) (end int64, err error) {
	file, err := os.Open(log)
	if err != nil {
		return from, err
	}
	defer file.Close()
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return from, err
	}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF { // also within a line that is being written
			return from, nil
		}
		if err != nil {
			return from, err
		}
		from += int64(len(line))
		var a audited
		if err := json.Unmarshal(line, &a); err != nil {
			return from, fmt.Errorf("%s: %w", log, err)
		}
		each(a)
	}
}

func (w *Writes) add(a audited) {
	switch {
	case a.isQuestion():
	case a.ResponseStatus.Code >= 300:
		w.Refused[a.reason()]++
		w.Where[a.reason()+", "+a.what()]++
	case a.ObjectRef.Resource == "events":
		w.Events++
	case a.ObjectRef.Resource == "leases":
		w.Leases++
	default:
		w.Done++
		w.What[a.what()]++
	}
}

// isQuestion reports whether nothing is stored of it.
func (a audited) isQuestion() bool { return strings.HasSuffix(a.ObjectRef.Resource, "reviews") }

// what says what a write wanted: "update replicasets/status". Of which controller
// it was follows: each kind's status has one owner, and a ReplicaSet's size is its
// Deployment's.
func (a audited) what() string {
	what := a.Verb + " " + a.ObjectRef.Resource
	if a.ObjectRef.Subresource != "" {
		what += "/" + a.ObjectRef.Subresource
	}
	return what
}

func (a audited) reason() string {
	return cmp.Or(a.ResponseStatus.Reason, fmt.Sprint(a.ResponseStatus.Code))
}

// endOf returns how long a log is now.
func endOf(log string) (int64, error) {
	info, err := os.Stat(log)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// is chooses one user.
func is(name string) func(string) bool {
	return func(user string) bool { return user == name }
}

// managers chooses kube-controller-manager and its controllers, each of which
// writes by its own name.
func managers(user string) bool {
	return user == "system:kube-controller-manager" ||
		strings.HasPrefix(user, "system:serviceaccount:kube-system:") &&
			strings.HasSuffix(user, "-controller")
}
