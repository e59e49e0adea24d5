// A file system in memory, with the calls of node's that Go's programs make.
{
  const flag = { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };
  const folderType = 0o40000, fileType = 0o100000, linkType = 0o120000, deviceType = 0o20000;
  const refuse = (code) => { throw Object.assign(new Error(code), { code }); };

  let numbers = 0;
  const node = (mode, more) => ({ number: ++numbers, mode, links: 1, time: Date.now(), bytes: new Uint8Array(0), size: 0, ...more });
  const folder = (mode) => node(folderType | mode, { entries: new Map() });
  const root = folder(0o755);
  let here = "/";

  const namesOf = (path) => {
    const names = [];
    for (const name of (path.startsWith("/") ? path : here + "/" + path).split("/")) {
      if (name === "..") names.pop();
      else if (name && name !== ".") names.push(name);
    }
    return names;
  };
  const find = (names, follow = true, depth = 0) => {
    let at = root;
    names.forEach((name, i) => {
      if (!at.entries) refuse("ENOTDIR");
      const next = at.entries.get(name) ?? refuse("ENOENT");
      if (next.target === undefined || (!follow && i === names.length - 1)) { at = next; return; }
      if (depth > 9) refuse("ELOOP");
      const base = "/" + names.slice(0, i).join("/");
      at = find(namesOf(next.target.startsWith("/") ? next.target : base + "/" + next.target), true, depth + 1);
    });
    return at;
  };
  const parentOf = (path) => {
    const names = namesOf(path);
    const name = names.pop() ?? refuse("EEXIST");
    const parent = find(names);
    if (!parent.entries) refuse("ENOTDIR");
    return [parent.entries, name];
  };
  const entryOf = (path) => {
    const [entries, name] = parentOf(path);
    return [entries, name, entries.get(name) ?? refuse("ENOENT")];
  };
  const add = (path, made) => {
    const [entries, name] = parentOf(path);
    if (entries.has(name)) refuse("EEXIST");
    entries.set(name, made);
  };
  const resize = (file, size) => {
    if (file.bytes.length < size) {
      const more = new Uint8Array(Math.max(size, 2 * file.bytes.length, 256));
      more.set(file.bytes.subarray(0, file.size));
      file.bytes = more;
    }
    if (size < file.size) file.bytes.fill(0, size, file.size);
    file.size = size;
  };
  const statOf = (at) => ({
    dev: 1, ino: at.number, mode: at.mode, nlink: at.links, uid: 0, gid: 0, rdev: 0,
    size: at.size, blksize: 4096, blocks: Math.ceil(at.size / 512),
    atimeMs: at.time, mtimeMs: at.time, ctimeMs: at.time, isDirectory: () => !!at.entries,
  });

  const opened = new Map();
  let descriptors = 2;
  const openedAs = (fd) => opened.get(fd) ?? refuse("EBADF");
  const text = new TextDecoder();
  const write = (fd, from, offset, length, position) => {
    if (fd < 3) {
      globalThis.printed = (globalThis.printed ?? "") + text.decode(from.subarray(offset, offset + length));
      return length;
    }
    const file = openedAs(fd);
    const at = position ?? (file.flags & flag.O_APPEND ? file.node.size : file.at);
    resize(file.node, Math.max(file.node.size, at + length));
    file.node.bytes.set(from.subarray(offset, offset + length), at);
    file.node.time = Date.now();
    if (position == null) file.at = at + length;
    return length;
  };
  const read = (fd, into, offset, length, position) => {
    if (fd < 3) return 0;
    const file = openedAs(fd);
    if (file.node.entries) refuse("EISDIR");
    const at = position ?? file.at;
    const n = Math.max(0, Math.min(length, file.node.size - at));
    into.set(file.node.bytes.subarray(at, at + n), offset);
    if (position == null) file.at = at + n;
    return n;
  };
  const open = (path, flags, mode) => {
    let at;
    try {
      at = find(namesOf(path));
    } catch (problem) {
      if (problem.code !== "ENOENT" || !(flags & flag.O_CREAT)) throw problem;
      add(path, at = node(fileType | (mode & 0o777)));
      flags &= ~flag.O_EXCL;
    }
    if (flags & flag.O_CREAT && flags & flag.O_EXCL) refuse("EEXIST");
    if (at.entries && flags & (flag.O_WRONLY | flag.O_RDWR)) refuse("EISDIR");
    if (!at.entries && flags & flag.O_DIRECTORY) refuse("ENOTDIR");
    if (flags & flag.O_TRUNC) resize(at, 0);
    opened.set(++descriptors, { node: at, at: 0, flags });
    return descriptors;
  };
  const change = (at, mode) => { at.mode = (at.mode & ~0o7777) | (mode & 0o7777); };

  const calls = {
    open, read, write,
    close: (fd) => { opened.delete(fd); },
    stat: (path) => statOf(find(namesOf(path))),
    lstat: (path) => statOf(find(namesOf(path), false)),
    fstat: (fd) => statOf(fd < 3 ? node(deviceType | 0o666) : openedAs(fd).node),
    mkdir: (path, mode) => add(path, folder(mode & 0o777)),
    readdir: (path) => [...(find(namesOf(path)).entries ?? refuse("ENOTDIR")).keys()],
    unlink: (path) => {
      const [entries, name, gone] = entryOf(path);
      if (gone.entries) refuse("EISDIR");
      gone.links--;
      entries.delete(name);
    },
    rmdir: (path) => {
      const [entries, name, gone] = entryOf(path);
      if (!gone.entries) refuse("ENOTDIR");
      if (gone.entries.size) refuse("ENOTEMPTY");
      entries.delete(name);
    },
    rename: (from, to) => {
      const [entries, name, moved] = entryOf(from);
      const [others, other] = parentOf(to);
      if (others.get(other)?.entries?.size) refuse("ENOTEMPTY");
      entries.delete(name);
      others.set(other, moved);
    },
    link: (from, to) => {
      const linked = find(namesOf(from));
      add(to, linked);
      linked.links++;
    },
    symlink: (target, path) => add(path, node(linkType | 0o777, { target, size: target.length })),
    readlink: (path) => find(namesOf(path), false).target ?? refuse("EINVAL"),
    chmod: (path, mode) => change(find(namesOf(path)), mode),
    fchmod: (fd, mode) => change(openedAs(fd).node, mode),
    truncate: (path, size) => resize(find(namesOf(path)), size),
    ftruncate: (fd, size) => resize(openedAs(fd).node, size),
    utimes: (path, _, modified) => { find(namesOf(path)).time = modified * 1000; },
    chown() { }, fchown() { }, lchown() { }, fsync() { },
  };

  // Each call answers a little later: in one of synctest's bubbles Go takes no answer
  // before the call has returned.
  const waiting = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => waiting.shift()();
  const later = (answer) => {
    waiting.push(answer);
    port2.postMessage(0);
  };

  globalThis.fs = { constants: flag, writeSync: (fd, bytes) => write(fd, bytes, 0, bytes.length) };
  for (const [name, call] of Object.entries(calls)) {
    fs[name] = (...args) => {
      const answer = args.pop();
      let result;
      try {
        result = call(...args);
      } catch (problem) {
        if (!problem.code) throw problem;
        later(() => answer(problem));
        return;
      }
      later(() => answer(null, result));
    };
  }
  globalThis.process = {
    pid: 1, ppid: 0, umask: () => 0o22, getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [0],
    cwd: () => here, chdir: (path) => { find(namesOf(path)); here = "/" + namesOf(path).join("/"); },
  };
  globalThis.path = { resolve: (...paths) => "/" + namesOf(paths.join("/")).join("/") };

  // put makes a file of a text or of bytes, and the folders that it lies in; take returns
  // the bytes of one; removeAll removes a folder with all that is in it, and tree
  // returns the names and the texts of all files below one.
  globalThis.put = (path, content) => {
    const names = namesOf(path);
    names.pop();
    let at = root;
    for (const name of names) {
      if (!at.entries.has(name)) at.entries.set(name, folder(0o755));
      at = at.entries.get(name);
    }
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    try { calls.unlink(path); } catch { } // the one before
    add(path, node(fileType | 0o644, { bytes, size: bytes.length }));
  };
  globalThis.tree = (path, at = find(namesOf(path))) => at.entries
    ? [...at.entries].flatMap(([name, below]) => tree(`${path}/${name}`, below)) : [[path, new TextDecoder().decode(at.bytes.subarray(0, at.size))]];
  globalThis.removeAll = (path) => { parentOf(path)[0].delete(namesOf(path).at(-1)); };
  globalThis.take = (path) => {
    const { bytes, size } = find(namesOf(path));
    return bytes.subarray(0, size);
  };
}
