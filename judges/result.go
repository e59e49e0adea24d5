package main

// Claim is something that has to hold, and what was seen of it.
type Claim struct {
	Name string `json:"name"`
	Held bool   `json:"held"`
	Seen string `json:"seen"`
}

// Figures are what a rollout cost those who did it.
type Figures struct {
	Created    float64 `json:"created"`    // seconds until all Pods were available
	Rolled     float64 `json:"rolled"`     // seconds until all of them were replaced
	Fewest     int     `json:"fewest"`     // Pods ready at once while they were
	Most       int     `json:"most"`       // Pods wanted
	Live       int     `json:"live"`       // Pods there at once, without those being deleted
	Above      float64 `json:"above"`      // seconds with more of them than may be wanted
	Processor  float64 `json:"processor"`  // seconds
	Scheduling int     `json:"scheduling"` // writes of kube-scheduler
	Writes     Writes  `json:"writes"`
}

// Result is what a proof came to.
type Result struct {
	Kubernetes string    `json:"kubernetes"`
	Etcd       string    `json:"etcd"`
	Processors int       `json:"processors"`
	Nodes      int       `json:"nodes"`
	Pods       int       `json:"pods"` // of the large rollout
	QPS        int       `json:"qps"`  // requests a second that controllers may make
	Claims     []Claim   `json:"claims"`
	Steps      int       `json:"steps"` // of all stories
	Stories    []Told    `json:"stories"`
	Ours       Figures   `json:"ours"`
	Theirs     Figures   `json:"theirs"`
	Defaults   Rates     `json:"defaults"` // at kube-controller-manager's own rates
	Pause      Pause     `json:"pause"`
	Refused    Writes    `json:"refused"` // what was refused while the stories were told
	Lab        Latencies `json:"lab"`
	Real       Latencies `json:"real"`
	Busy       Latencies `json:"busy"`      // the real one in the midst of a rollout
	Admission  []string  `json:"admission"` // what was added to a Pod
	Refusals   []string  `json:"refusals"`  // what the server says to three faults
	Walk       []Part    `json:"walk"`      // what a reader would type
}

// Rates are two rollouts at the rates that controllers have if nobody says others.
type Rates struct {
	Pods   int     `json:"pods"`
	Ours   Figures `json:"ours"`
	Theirs Figures `json:"theirs"`
}

// Told is a story, and whether its states were the same everywhere.
type Told struct {
	Name   string `json:"name"`
	Steps  int    `json:"steps"`
	Lab    string `json:"lab"`    // "same", or where the states part
	Theirs string `json:"theirs"` // likewise, of kube-controller-manager
}

// Part is something that was typed, with what was said.
type Part struct {
	Name string `json:"name"`
	Text string `json:"text"`
}
