// What a query asks for: its words, without those around them, and other words for
// the same.

// What people type around what they look for.
const fillers = new Set((
  "a an the this that these those it its they their them there i i'm me my we us our you your he she of in on at to for from by with without " +
  "and or but if then than as into onto about between during while after before until is are was were be been being am do does did doing done " +
  "has have had having can could should would will shall must may might how what why when where which who whom whose vs versus difference " +
  "not no never don't doesn't didn't isn't aren't wasn't won't can't cannot still yet even just only also any some all every each so too " +
  "very much many more most long get gets got getting make makes made let lets want need needs use used using try trying happen happens " +
  "happened mean means please help explain kubernetes k8s error warning").split(" "));

// Words for the same thing, a line each: any of them finds all. Of two lists the
// first is typed, and finds the second.
const synonyms = `
stuck hang hung frozen freeze stall block standstill pending
pvc claim persistentvolumeclaim
pv volume persistentvolume disk storage
pdb budget poddisruptionbudget disruption
sts statefulset
ds daemonset daemon
rs replicaset
rc replicationcontroller
svc service
cm configmap
sc storageclass
crd customresourcedefinition
delete remove
keep retain stay survive preserve
downtime outage 502 503 504 interruption: lost refused graceful
traffic request route reach: service proxy endpoint
undo revert previous: undo rollback revision
resize expand extend grow enlarge increase bigger larger
upgrade deploy: update rollout
slave secondary: replica slave
primary leader: master leader
hostname domain lookup resolve dns nslookup
dead broken down unreachable offline crashed: silent dead notready failure
machine host server: node machine
same simultaneous concurrent parallel: same parallel concurrent conflict
shutdown sigterm terminate
reuse recycle: reclaim available
reload refresh: change
evict drain maintenance
kill crash die
reboot bounce: restart
pick choose decide: choice first
healthcheck health: probe
throttle retry backoff delay
important priority: preemption priority
`.trim().split("\n").map((line) => line.split(": ").map((words) => words.split(" ").map(stem)));
const alike = new Map(synonyms.flatMap(([typed, found = typed]) => typed.map((word) => [word, found])));

const ideographs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;
const stands = /\bnot (?=[a-z]+ing\b)/g; // not updating, not progressing
const counted = /^\d{1,2}%?$|^\d+\/\d+$/;

// termsOf returns the words that tell something. Chinese and Japanese have no
// spaces: a run of them matches by its pairs of characters.
function termsOf(query) {
  const terms = [];
  const rest = plain(query).replace(stands, "stuck ").replace(ideographs, (run) => {
    const characters = [...run];
    if (characters.length === 1) terms.push(run);
    for (let i = 0; i + 1 < characters.length; i++) terms.push(characters[i] + characters[i + 1]);
    return " ";
  });
  const words = rest.split(/[\s.,;:()*?!"“”`[\]{}<>=]+/).map((word) => word.replace(/^'+|('s)?'*$/g, "")).filter(Boolean);
  const telling = words.filter((word) => !fillers.has(word) && !counted.test(word));
  return [...new Set(terms.concat((telling.length || terms.length ? telling : words).map(singular)))];
}

// plain is a text as it is searched. It is as long as before.
function plain(text) {
  return text.toLowerCase().replaceAll("’", "'");
}

// singular leaves the end of a plural out: words match where they begin.
function singular(word) {
  return /[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

// stem leaves the end of a verb out: deleting and deleted become delet.
function stem(word) {
  return word.length > 5 ? word.replace(/(ing|ed|es|e)$/, "").replace(/([^aeiousl])\1$/, "$1") : word;
}

// othersFor returns what finds the same as a term.
function othersFor(term) {
  return new Set([stem(term), ...(alike.get(stem(term)) ?? [])].filter((word) => word !== term));
}

// partsOf sets the words of a name apart: DeltaFIFO becomes "delta fifo".
function partsOf(name) {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2").toLowerCase();
}
