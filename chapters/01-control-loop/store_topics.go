package controlloop

// Topic is a field that many watchers select by, each of them by another value:
// each kubelet watches the Pods of its own node. (Kubernetes: IndexerFuncs and
// TriggerFunc in pkg/registry/core/pod/storage.)
type Topic struct {
	Field string
	Of    func(obj Object) string
}

// topicOf returns the value of obj, or "" if obj is nil or its kind has no
// topic.
func (k Kind) topicOf(obj Object) string {
	if obj == nil || k.Topic.Of == nil {
		return ""
	}
	return k.Topic.Of(obj)
}

// topicFor returns the one value that opts select by, if they do.
func (k Kind) topicFor(opts ListOptions) (value string, ok bool) {
	if opts.Fields == nil || k.Topic.Of == nil {
		return "", false
	}
	return opts.Fields.RequiresExactMatch(k.Topic.Field)
}

// topic is the log of those changes that concern one value of the kind's topic,
// so that its followers are not woken by all the others. It remembers as far
// back as the log of the kind.
type topic struct {
	log
	followers int
}

// append adds c to the log, and to the topics that it comes from and goes to.
func (t *table) append(c change) {
	t.log.append(c)
	from, to := t.topicOf(c.old), t.topicOf(c.object)
	t.topics[to].append(c, t.log.dropped)
	if from != to {
		t.topics[from].append(c, t.log.dropped)
	}
}

// append forgets what the log of the kind has forgotten, when it is the greater
// part, and adds c.
func (l *topic) append(c change, dropped uint64) {
	if l == nil {
		return // it has no followers
	}
	held, _ := l.since(dropped)
	if old := len(l.changes) - len(held); old > len(held) {
		l.forget(old)
	}
	l.push(c)
}

// follow returns a log that has every change of the objects that opts select.
func (t *table) follow(opts ListOptions) *log {
	value, ok := t.topicFor(opts)
	if !ok {
		return &t.log
	}
	l := t.topics[value]
	if l == nil {
		l = &topic{log: newLog(0)}
		l.dropped = t.log.dropped
		for _, c := range t.log.changes {
			if t.topicOf(c.old) == value || t.topicOf(c.object) == value {
				l.changes = append(l.changes, c)
			}
		}
		t.topics[value] = l
	}
	l.followers++
	return &l.log
}

// unfollow forgets a topic when its last follower has gone.
func (t *table) unfollow(opts ListOptions) {
	if value, ok := t.topicFor(opts); ok {
		l := t.topics[value]
		if l.followers--; l.followers == 0 {
			delete(t.topics, value)
		}
	}
}
