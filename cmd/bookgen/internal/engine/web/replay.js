// What a transcript was played from, and what comes of that with the reader's lines.
// files are the reader's changes of manifests; say shows how far it has come.
const replayOf = ({ slug, file, name }, { player, files, say }) => {
  const readers = "what the reader typed";

  // What the transcript shows was played from; the reader's changes come first.
  const recorded = async () => {
    const { scenes, manifests } = await player.chapter(slug);
    files.have(manifests);
    return lines.upTo(scenes[file], name);
  };
  const scene = async (added) => {
    const all = (await recorded()).split("\n");
    all.splice(all.findIndex(lines.isStep), 0, ...files.changes());
    return all.join("\n") + `\n${lines.part}${readers}\n` + added.map((line) => line.startsWith("kubectl") ? "$ " + line : line).join("\n") + "\n";
  };

  // told says how far the engine has come.
  const told = () => {
    const bar = element("progress", { max: 1, ariaLabel: "fetched" });
    let starts = false;
    return (came) => {
      if (came < 1 && !bar.isConnected) say("fetching", bar, buttonOf("cancel", player.end));
      bar.value = came;
      if (came >= 1 && !starts) say("starting: this takes some seconds, once", buttonOf("cancel", player.end));
      starts = came >= 1;
    };
  };

  const request = async (text) => ({ chapter: slug, manifests: (await player.chapter(slug)).manifests, scene: text, file });
  const asked = async (text, look) => {
    const result = await player.play({ ...await request(text), look }, told());
    if (!result.wrong) return result;
    const line = new RegExp("^" + file.replaceAll(".", "\\.") + ":(\\d+): ", "gm");
    const typedFrom = text.split("\n").indexOf(lines.part + readers) + 1;
    throw new Error(result.wrong.replace(line, (_, n) => n > typedFrom ? "" : "In what is recorded above: "));
  };
  const play = async (text) => (await asked(text)).played;
  // played plays lines, and returns what they print, which faults have struck meanwhile, and
  // what the recorded ones print if that is something else.
  const played = async (added) => {
    const before = await recorded();
    const { played, faults = "[]" } = await asked(await scene(added));
    const [now, after] = played.split(`\n${lines.part}${readers}\n`);
    const same = now.replace(files.changes().map((line) => line + "\n\n").join(""), "").trimEnd();
    const ofPart = (text) => name ? text.slice(text.indexOf(lines.part + name)).split("\n").slice(1) : text.split("\n");
    const otherwise = same === before.trimEnd() ? [] : ofPart(same);
    return { after: after.trimEnd(), otherwise, faults: JSON.parse(faults).slice(-added.length), marked: lines.fresh(ofPart(before), otherwise) };
  };

  return {
    recorded, scene, told, play, played,
    // warm plays what is recorded while the reader thinks of a line.
    warm: (added) => player.warm(async () => request(await scene(added))),
    // looks returns what may be asked about a run of these lines, as it was played last:
    // true for all that its controllers did, or a kind and a key for an object's versions, and
    // with "waits" for what it has waited for.
    async looks(added) {
      const text = await scene(added);
      return async (what) => JSON.parse((await asked(text, what)).looked);
    },
  };
};
