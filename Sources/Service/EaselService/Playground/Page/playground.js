"use strict";
const byId = (id) => document.getElementById(id);
// As browsers ask for pictures.
const accepted = "image/avif,image/webp,image/*,*/*;q=0.8";
const added = [];
let options = [];
let number = 0;
let timer;

function options_of_controls() {
  const parts = [];
  const value = (id) => byId(id).value;
  const [width, height] = [Number(value("width")), Number(value("height"))];
  if (width || height) parts.push(`rs:${value("resizing")}:${width}:${height}`);
  if (byId("enlarge").checked) parts.push("el:1");
  if (value("gravity")) parts.push(`g:${value("gravity")}`);
  if (Number(value("dpr")) !== 1) parts.push(`dpr:${value("dpr")}`);
  if (Number(value("quality"))) parts.push(`q:${value("quality")}`);
  for (const [id, name] of [["blur", "bl"], ["sharpen", "sh"], ["pixelate", "pix"], ["rotate", "rot"]]) {
    if (Number(value(id))) parts.push(`${name}:${value(id)}`);
  }
  return parts.concat(added);
}

function path_of(parts) {
  const source = byId("source").value.trim();
  const format = byId("format").value;
  const options = parts.length ? parts.join("/") + "/" : "";
  return `/${options}plain/${encodeURIComponent(source)}${format ? "@" + format : ""}`;
}

async function signed(path) {
  const headers = { Accept: accepted };
  const secret = byId("secret").value;
  if (secret) headers.Authorization = "Bearer " + secret;
  const response = await fetch("playground/sign?path=" + encodeURIComponent(path), { headers });
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

function bytes(count) {
  return count < 10000 ? `${count} bytes` : `${Math.round(count / 1000)} KB`;
}

async function picture(url, name) {
  const began = performance.now();
  const response = await fetch(url.replace(/^\//, ""), { headers: { Accept: accepted } });
  if (!response.ok) throw new Error((await response.text()).trim());
  const blob = await response.blob();
  const took = Math.round(performance.now() - began);
  const address = URL.createObjectURL(blob);
  const image = new Image();
  image.src = address;
  const isShown = await image.decode().then(() => true, () => false);
  if (!isShown) URL.revokeObjectURL(address);
  const size = isShown ? `${image.naturalWidth} x ${image.naturalHeight}` : "a format that browsers do not show";
  const timing = response.headers.get("Server-Timing");
  const server = timing ? /dur=([0-9.]+)/.exec(timing) : null;
  const facts = `${name}: ${size}, ${blob.type.replace("image/", "")}, `
    + `${bytes(blob.size)}, ${server ? server[1] + " ms in the server" : took + " ms"}`;
  return { image: isShown ? image : null, facts };
}

function show_picture(id, shown, name) {
  const old = byId(id);
  const image = shown && shown.image || new Image();
  image.id = id;
  image.alt = old.alt;
  old.replaceWith(image);
  if (old.src) URL.revokeObjectURL(old.src);
  byId(id + "-facts").textContent = shown ? shown.facts : `${name}: none`;
}

// Everything that depends on the options is shown here, so that nothing of an earlier result stays.
function show(state, message, result = {}) {
  byId("form").dataset.state = state;
  byId("status").textContent = message;
  show_picture("before", result.before, "Before");
  show_picture("after", result.after, "After");
  for (const id of ["url", "command", "hint", "swift"]) byId(id).textContent = result[id] || "";
  for (const button of document.querySelectorAll(".copy")) button.disabled = !byId(button.dataset.from).textContent;
}

function show_that_it_works() {
  byId("form").dataset.state = "working";
  byId("status").textContent = "Working...";
  for (const button of document.querySelectorAll(".copy")) button.disabled = true;
}

async function update() {
  const mine = ++number;
  if (!byId("source").value.trim()) return show("empty", "Name a source to begin.");
  show_that_it_works();
  const result = {};
  let error;
  try {
    const paths = [path_of(["raw:1"]).replace(/@[a-z]+$/, ""), path_of(options_of_controls())];
    const [original, wanted] = await Promise.all(paths.map(signed));
    Object.assign(result, wanted, { url: new URL(wanted.url, location.href).href });
    if (mine !== number) return;
    const pictures = await Promise.allSettled([picture(original.url, "Before"), picture(wanted.url, "After")]);
    [result.before, result.after] = pictures.map((one) => one.value);
    error = pictures.map((one) => one.reason).reverse().find(Boolean);
  } catch (failure) {
    error = failure;
  }
  if (mine === number) {
    if (error) show("failed", `Error: ${error.message}`, result); else show("done", "Done.", result);
  } else {
    for (const one of [result.before, result.after]) if (one && one.image) URL.revokeObjectURL(one.image.src);
  }
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(update, 250);
}

function show_values() {
  for (const output of document.querySelectorAll("output")) {
    const control = byId(output.htmlFor[0]);
    output.textContent = Number(control.value) ? control.value : "-";
  }
}

function show_added() {
  byId("more").replaceChildren(...added.map((option, index) => {
    const item = document.createElement("li");
    const text = document.createElement("code");
    text.textContent = option;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Remove";
    button.setAttribute("aria-label", `Remove ${option}`);
    button.addEventListener("click", () => {
      added.splice(index, 1);
      show_added();
      later();
    });
    item.append(text, button);
    return item;
  }));
}

function show_help() {
  const option = options[byId("option").selectedIndex];
  if (!option) return;
  byId("option-help").textContent = option.help;
  byId("argument").placeholder = option.arguments;
}

// A page without TLS has no clipboard; there the text is selected.
async function copy(button) {
  const code = byId(button.dataset.from);
  const label = button.dataset.label ||= button.textContent;
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = "Selected, to be copied by you";
  }
  button.addEventListener("blur", () => { button.textContent = label; }, { once: true });
}

function changed(event) {
  show_values();
  if (event.target.id === "option") return show_help();
  if (event.target.id !== "argument") later();
}
// Some browsers tell of lists by one of them, and of sliders by the other.
for (const kind of ["input", "change"]) byId("form").addEventListener(kind, changed);
byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  update();
});
byId("add").addEventListener("click", () => {
  const option = options[byId("option").selectedIndex];
  if (!option) return;
  added.push(`${option.name}:${byId("argument").value}`);
  byId("argument").value = "";
  show_added();
  later();
});
for (const button of document.querySelectorAll(".copy")) button.addEventListener("click", () => copy(button));
fetch("playground/options").then((response) => response.json()).then((known) => {
  options = known.options;
  byId("option").replaceChildren(...options.map((option) => new Option(option.name, option.name)));
  show_help();
});
show_values();
