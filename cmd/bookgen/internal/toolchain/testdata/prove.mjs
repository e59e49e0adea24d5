// Judges answers in node, by the programs and files of a page, and prints for each what
// lab says, as JSON:
//
//     node --stack-size=8192 prove.mjs ASSETS FILES.JS WASM_EXEC.JS CASES.JSON
import fs from "node:fs";
import vm from "node:vm";
import { gunzipSync } from "node:zlib";

const [assets, files, support, cases] = process.argv.slice(2);
const read = (name) => fs.readFileSync(`${assets}/${name}`);
const unpacked = ({ name }) => gunzipSync(read(name + ".gz"));
const index = JSON.parse(read("write.json"));

// page returns a page's worker in which nothing has been done.
const page = () => {
  const worker = { WebAssembly, MessageChannel, TextEncoder, TextDecoder, performance, crypto, setTimeout, clearTimeout, setInterval, clearInterval, console };
  vm.createContext(worker);
  for (const script of [files, support, `${assets}/write-programs.js`]) vm.runInContext(fs.readFileSync(script, "utf8"), worker, { filename: script });
  vm.runInContext("Object.assign(globalThis, { modules, lab, lay })", worker);
  return worker;
};

const modules = {};
for (const name in index.programs) modules[name] = await WebAssembly.compile(unpacked(index.programs[name]));
const packs = {};
let worker, chapter;
for (const { number, name, changes } of JSON.parse(fs.readFileSync(cases, "utf8"))) {
  const { folder } = index.exercises[number];
  if (folder !== worker?.folder) {
    worker = page();
    worker.folder = folder;
    Object.assign(worker.modules, modules);
    chapter = JSON.parse(read(`write-${folder.split("/")[1]}.json`));
    for (const pack of index.units[folder]) worker.lay.pack(index.pieces[pack], packs[pack] ??= new Uint8Array(unpacked(index.packs[pack])));
    worker.lay.unit(folder, chapter.units[folder]);
  }
  worker.lay.book(chapter.files); // as if nothing had been written
  const begun = performance.now();
  let said = await worker.lab("start", number);
  for (const [file, text] of Object.entries(changes ?? {})) worker.put("/book/" + file, text);
  if (said.code === 0) said = await worker.lab("test", number);
  console.log(JSON.stringify({ number, name, ...said, seconds: Math.round(performance.now() - begun) / 1000, megabytes: Math.round(process.memoryUsage().rss / 1e6) }));
}
process.exit(0);
