// The search in all guides and all declarations, for each field inside an element with the attribute data-search.
(() => {
  const root = document.currentScript.dataset.root;
  let loading = null;

  // How well an entry fits a word: the less, the better; null if it does not.
  function distance(title, text, word) {
    if (title === word) return 0;
    if (title.startsWith(word)) return 4;
    const at = title.indexOf(word);
    if (at > 0) return /[a-z0-9]/.test(title[at - 1]) ? 16 : 8;
    return text.includes(word) ? 40 : null;
  }

  function found(entries, typed) {
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return null;
    const hits = [];
    for (const entry of entries) {
      const [title, kind, module, , text] = entry;
      const name = title.toLowerCase(), rest = (kind + " " + module + " " + text).toLowerCase();
      let sum = kind === "guide" ? -2 : 0;
      for (const word of words) {
        const part = distance(name, rest, word);
        if (part === null) { sum = null; break; }
        sum += part;
      }
      if (sum !== null) hits.push([sum + title.length / 50, entry]);
    }
    return hits.sort((one, other) => one[0] - other[0]).slice(0, 40).map((hit) => hit[1]);
  }

  function show(list, hits) {
    list.replaceChildren(...(hits ?? []).map(([title, kind, module, address]) => {
      const item = document.createElement("li"), link = document.createElement("a"), note = document.createElement("small");
      link.href = root + address;
      link.textContent = title;
      note.textContent = " " + kind + (kind === "module" || kind === "guide" ? "" : ", " + module);
      item.append(link, note);
      return item;
    }));
    if (hits && !hits.length) list.append(Object.assign(document.createElement("li"), { textContent: "Nothing was found." }));
    list.hidden = !hits;
  }

  for (const place of document.querySelectorAll("[data-search]")) {
    const field = place.querySelector("input"), list = place.querySelector("ol");
    field.addEventListener("input", async () => {
      loading ??= fetch(root + "search.json").then((answer) => answer.json());
      const entries = await loading;
      // Read after the wait: more may have been typed.
      show(list, found(entries, field.value));
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { field.value = ""; show(list, null); }
      if (event.key === "Enter") list.querySelector("a")?.click();
      // docc has keys of its own.
      event.stopPropagation();
    });
  }
})();
