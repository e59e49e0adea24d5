// decoded returns what a part of an address says. One with a stray percent sign, which
// anybody can type or pass on, stands for itself.
function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

// Preferences are kept where there is a place for them; some browsers refuse
// that for pages opened from a folder.
const preferences = {
  get(key) {
    try { return localStorage.getItem(key); } catch { return null; }
  },
  set(key, value) {
    try {
      if (value) localStorage.setItem(key, value); else localStorage.removeItem(key);
    } catch { }
  },
};
