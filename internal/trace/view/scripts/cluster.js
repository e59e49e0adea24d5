// The cluster: machines as columns, and a cell for each Pod. A cell is a place: the
// next Pod of its machine takes one that is free, so that the others stay where they are.
const coloured = (node, { paint, striped } = {}) => {
  node.style.setProperty("--c", paint === undefined ? "var(--look-none)" : `var(--look-${paint})`);
  node.classList.toggle("striped", !!striped);
  return node;
};

// set changes an element only if what it shows has changed.
const set = (node, value, change) => {
  if (node.shown === value) return;
  node.shown = value;
  change();
};

const clusterView = (look) => {
  const nowhere = "no node yet";
  const machines = element("div", { className: "machines" });
  const services = element("div", { className: "services" }), others = element("div", { className: "services others" });
  const tree = ownersView(look);
  const columns = new Map();
  let most = 0, left; // places of a column; cells that may change in one drawing

  const column = (name) => {
    if (columns.has(name)) return columns.get(name);
    const head = element("button", { type: "button", onclick: () => look.select({ kind: "Node", key: name }) });
    const cells = element("div", { className: "cells" });
    if (name === nowhere) head.disabled = true;
    const rove = roving(cells, "button:not(.free)");
    const made = { rove, name, head, cells, box: element("section", { className: "machine" }, head, cells), places: [], taken: new Map() };
    columns.set(name, made);
    const at = name === nowhere ? undefined : [...columns.keys()].filter((k) => k !== nowhere).sort((a, b) => a.localeCompare(b, "en", { numeric: true })).indexOf(name);
    machines.insertBefore(made.box, at === undefined ? machines.firstChild : machines.children[at + 1] ?? null);
    return made;
  };

  // seat gives each Pod of a column a place, and keeps those that they have.
  const seat = (col, pods) => {
    const here = new Set(pods.map((pod) => pod.id));
    for (const [id, i] of col.taken) {
      if (here.has(id)) continue;
      col.taken.delete(id);
      col.places[i].pod = undefined;
    }
    let free = 0;
    for (const pod of pods) {
      if (!col.taken.has(pod.id)) {
        while (col.places[free]?.pod) free++;
        if (!col.places[free]) col.places.push({ cell: col.cells.appendChild(cell()) });
        col.taken.set(pod.id, free);
      }
      col.places[col.taken.get(pod.id)].pod = pod;
    }
    return col.places.length;
  };
  const cell = () => element("button", {
    type: "button", className: "pod free", tabIndex: -1,
    onclick: (event) => { if (event.currentTarget.means) look.select({ kind: "Pod", key: keyOf(event.currentTarget.means) }); },
  });

  const show = (state, { cell, pod }, chosen, size) => {
    const isChosen = !!pod && (chosen.has(pod.id) || look.selected() === pod.id);
    const value = pod ? `${pod.id} ${pod.n} ${isChosen} ${size}` : "";
    if (cell.shown !== value && left-- <= 0) return; // a thousand at once would take too long
    set(cell, value, () => {
      cell.className = `pod ${pod ? markOf(pod.is) : "free"}${isChosen ? " chosen" : ""}`;
      if (!pod) return;
      cell.means = pod.id;
      const top = topOf(state, pod.id);
      coloured(cell, look.record.colour(pod.id));
      cell.title = `${pod.key}: ${pod.is.word ?? ""}${top === pod.id ? "" : `, of ${top}`}`;
      const mark = glyph(markOf(pod.is));
      if (size !== "large") { // there is no room for more than a name, or for none
        cell.ariaLabel = size === "small" ? cell.title : null;
        return cell.replaceChildren(mark, ...(size === "small" ? [] : [element("b", {}, nameOf(pod.key))]));
      }
      const claims = (pod.is.claims ?? []).map((key) => {
        const claim = state.objects.get(`PersistentVolumeClaim ${key}`);
        return element("small", {}, `${nameOf(key)}${claim?.is.volume ? ` on ${claim.is.volume}` : `, ${claim?.is.word ?? "no such claim"}`}`);
      });
      cell.replaceChildren(mark, element("b", {}, nameOf(pod.key)), element("span", {}, pod.is.word ?? ""), ...claims);
    });
  };

  const showServices = (state, pods) => {
    const all = allOf(state, "Service");
    const texts = all.map((service) => {
      const fit = chosenBy(service, pods);
      const ready = fit.filter((pod) => pod.is.mark === "ready").length;
      return service.is.selector ? `${nameOf(service.key)} → ${some(ready, "Pod")}${fit.length > ready ? ` (${fit.length - ready} not ready)` : ""}` : `${nameOf(service.key)}: no selector`;
    });
    set(services, JSON.stringify([texts, all.map((s) => s.id), look.selected()]), () => services.replaceChildren(...all.map((service, i) => {
      const chip = element("button", { type: "button", onclick: () => look.select({ kind: "Service", key: service.key }) }, "Service ", texts[i]);
      chip.ariaPressed = String(look.selected() === service.id);
      return chip;
    })));
  };

  // What has no Pod has a place, too: it may wait for something.
  const showOthers = (state, pods) => {
    const seen = new Set(pods.flatMap((pod) => [...ownersOf(state, pod.id), ...(pod.is.claims ?? []).map((key) => `PersistentVolumeClaim ${key}`)]));
    const kinds = ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "PersistentVolumeClaim"];
    const all = kinds.flatMap((kind) => allOf(state, kind)).filter((o) => !seen.has(o.id) && !o.is.owner);
    set(others, JSON.stringify([all.map((o) => [o.id, o.is.word]), look.selected()]), () => others.replaceChildren(...all.map((o) => {
      const chip = element("button", { type: "button", onclick: () => look.select({ kind: o.kind, key: o.key }) }, `${o.kind} ${nameOf(o.key)} `, element("span", {}, o.is.word ?? ""));
      chip.ariaPressed = String(look.selected() === o.id);
      return chip;
    })));
  };

  // What is selected brings others with it: a Service its Pods, an owner what is its own.
  const chosenWith = (state, pods) => {
    const id = look.selected(), object = state.objects.get(id);
    if (object?.kind === "Service") return new Set(chosenBy(object, pods).filter((pod) => pod.is.mark === "ready").map((pod) => pod.id));
    if (!object || object.kind === "Pod") return new Set();
    return new Set(pods.filter((pod) => ownersOf(state, pod.id).includes(id)).map((pod) => pod.id));
  };

  const draw = (state) => {
    const pods = allOf(state, "Pod").sort((a, b) => a.since - b.since);
    const nodes = allOf(state, "Node"); // a test's cluster may have none of its machines
    const byNode = new Map([[nowhere, []], ...nodes.map((node) => [node.key, []])]);
    for (const pod of pods) {
      const name = pod.is.node || nowhere;
      if (!byNode.has(name)) byNode.set(name, []);
      byNode.get(name).push(pod);
    }
    const chosen = chosenWith(state, pods);
    left = 500;
    for (const [name, here] of byNode) most = Math.max(most, seat(column(name), here));
    const size = machines.dataset.size = most <= 6 ? "large" : most <= 24 ? "middle" : "small";
    for (const name of new Set([...byNode.keys(), ...columns.keys()])) {
      const col = column(name), here = byNode.get(name) ?? [], node = state.objects.get(`Node ${name}`);
      if (!byNode.has(name)) seat(col, here);
      for (const place of col.places) show(state, place, chosen, size);
      col.rove();
      col.box.hidden = !byNode.has(name);
      const word = name === nowhere || !nodes.length ? "" : node?.is.word ?? "gone";
      const held = [...state.lanes.values()].filter((lane) => lane.hold && lane.name.endsWith(` ${name}`)).map((lane) => `${lane.name.split(" ")[0]} ${lane.hold}`);
      set(col.head, `${word} ${here.length} ${held} ${look.selected() === `Node ${name}`}`, () => {
        col.head.ariaPressed = String(look.selected() === `Node ${name}`);
        col.head.replaceChildren(element("b", {}, name), element("span", { className: /^Ready$|^$/.test(word) ? "" : "wrong" }, `${word} ${some(here.length, "Pod")}`),
          ...held.map((words) => element("span", { className: "wrong" }, words)));
      });
    }
    showServices(state, pods);
    showOthers(state, pods);
    tree.draw(state);
    return left < 0;
  };
  return { box: element("div", {}, services, machines, others, tree.box), draw };
};

const ownersOf = (state, id) => {
  const owners = [];
  for (let owner = state.objects.get(id)?.is.owner; owner && owners.length < 9; owner = state.objects.get(owner)?.is.owner) owners.push(owner);
  return owners;
};

// The tree of owners that what is selected belongs to.
const ownersView = (look) => {
  const box = element("div", { className: "owners" });
  const line = (state, id) => {
    const object = state.objects.get(id);
    const button = element("button", { type: "button", onclick: () => look.select({ kind: id.split(" ")[0], key: keyOf(id) }) },
      glyph(markOf(object?.is)), `${id.split(" ")[0]} ${nameOf(keyOf(id))}`, element("span", {}, object ? object.is.word ?? "" : "gone"));
    button.ariaPressed = String(look.selected() === id);
    return coloured(button, look.record.colour(id));
  };
  const branch = (state, id, below) => {
    const own = below.get(id) ?? [], few = own.slice(0, 30);
    const more = own.length > few.length ? [element("li", {}, `and ${own.length - few.length} more`)] : [];
    return element("li", {}, line(state, id), ...(own.length ? [element("ul", {}, ...few.map((o) => branch(state, o.id, below)), ...more)] : []));
  };
  const draw = (state) => {
    const id = look.selected();
    const top = id && topOf(state, id), below = new Map();
    if (id) for (const o of state.objects.values()) if (o.is.owner) (below.get(o.is.owner) ?? below.set(o.is.owner, []).get(o.is.owner)).push(o);
    const parts = [];
    const collect = (id) => (below.get(id) ?? []).forEach((o) => { parts.push(o.id, o.is.word); collect(o.id); });
    if (id && state.objects.has(id)) collect(top);
    set(box, [id, top, state.objects.get(top)?.is.word, ...parts].join(), () => {
      box.replaceChildren(...(id && (parts.length || state.objects.has(id)) ? [element("ul", {}, branch(state, top, below))] : []));
    });
  };
  return { box, draw };
};
