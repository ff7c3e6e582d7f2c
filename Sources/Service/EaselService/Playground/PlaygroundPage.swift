/// The text of the page on which URLs are tried out.
enum PlaygroundPage {
  static let html = """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Easel: try out a picture</title>
    <link rel="stylesheet" href="playground.css">
    <script src="playground.js" defer></script>
    </head>
    <body>
    <header>
    <h1>Try out a picture</h1>
    <p>Name a source and change the options. Every change makes a new address, signed by this server.</p>
    </header>
    <main>
    <form id="form" autocomplete="off">
    <fieldset>
    <legend>Source</legend>
    <label for="source">Address of the picture</label>
    <input id="source" type="text" inputmode="url" placeholder="https://example.com/picture.jpg or local:///picture.jpg" required>
    <label for="secret">Secret of the server, if it has one</label>
    <input id="secret" type="password">
    </fieldset>
    <fieldset>
    <legend>Size</legend>
    <div class="row">
    <label for="resizing">Fitting</label>
    <select id="resizing">
    <option value="fit">fit inside</option>
    <option value="fill">fill and cut</option>
    <option value="fill-down">fill, never enlarge</option>
    <option value="force">stretch</option>
    <option value="auto">automatic</option>
    </select>
    </div>
    <div class="row"><label for="width">Width</label><input id="width" type="range" min="0" max="2000" step="10" value="400"><output for="width"></output></div>
    <div class="row"><label for="height">Height</label><input id="height" type="range" min="0" max="2000" step="10" value="0"><output for="height"></output></div>
    <div class="row"><label for="dpr">Pixel ratio</label><input id="dpr" type="range" min="1" max="4" step="0.5" value="1"><output for="dpr"></output></div>
    <div class="row">
    <label for="gravity">Part that stays</label>
    <select id="gravity">
    <option value="">middle</option>
    <option value="sm">the part that attracts the eye</option>
    <option value="no">top</option>
    <option value="so">bottom</option>
    <option value="we">left</option>
    <option value="ea">right</option>
    <option value="nowe">top left</option>
    <option value="noea">top right</option>
    <option value="sowe">bottom left</option>
    <option value="soea">bottom right</option>
    </select>
    </div>
    <div class="row"><label for="enlarge">Enlarge small pictures</label><input id="enlarge" type="checkbox"></div>
    </fieldset>
    <fieldset>
    <legend>File</legend>
    <div class="row">
    <label for="format">Format</label>
    <select id="format">
    <option value="">as the browser accepts</option>
    <option value="jpg">JPEG</option>
    <option value="png">PNG</option>
    <option value="webp">WebP</option>
    <option value="avif">AVIF</option>
    <option value="gif">GIF</option>
    </select>
    </div>
    <div class="row"><label for="quality">Quality</label><input id="quality" type="range" min="0" max="100" step="1" value="0"><output for="quality"></output></div>
    </fieldset>
    <fieldset>
    <legend>Look</legend>
    <div class="row"><label for="blur">Blur</label><input id="blur" type="range" min="0" max="30" step="0.5" value="0"><output for="blur"></output></div>
    <div class="row"><label for="sharpen">Sharpen</label><input id="sharpen" type="range" min="0" max="5" step="0.1" value="0"><output for="sharpen"></output></div>
    <div class="row"><label for="pixelate">Pixelate</label><input id="pixelate" type="range" min="0" max="50" step="1" value="0"><output for="pixelate"></output></div>
    <div class="row"><label for="rotate">Turn</label>
    <select id="rotate"><option value="0">not</option><option value="90">90 degrees</option><option value="180">180 degrees</option><option value="270">270 degrees</option></select></div>
    </fieldset>
    <fieldset>
    <legend>All options</legend>
    <label for="option">Option</label>
    <select id="option"></select>
    <p id="option-help"></p>
    <label for="argument">Arguments</label>
    <input id="argument" type="text">
    <button type="button" id="add">Add the option</button>
    <ul id="more" aria-label="Options that were added"></ul>
    </fieldset>
    </form>
    <section aria-label="Result">
    <p id="status" role="status" aria-live="polite">Name a source to begin.</p>
    <div class="pictures">
    <figure><img id="before" alt="The original"><figcaption id="before-facts">Before</figcaption></figure>
    <figure><img id="after" alt="The result"><figcaption id="after-facts">After</figcaption></figure>
    </div>
    <h2>Address</h2>
    <pre><code id="url"></code></pre>
    <button type="button" class="copy" data-from="url">Copy the address</button>
    <h2>In a shell</h2>
    <pre><code id="command"></code></pre>
    <button type="button" class="copy" data-from="command">Copy the command</button>
    <h2>In Swift</h2>
    <pre><code id="swift"></code></pre>
    <button type="button" class="copy" data-from="swift">Copy the code</button>
    </section>
    </main>
    </body>
    </html>

    """

  static let style = """
    :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
    body { margin: 0 auto; max-width: 80rem; padding: 1rem; }
    main { display: grid; gap: 1.5rem; grid-template-columns: minmax(18rem, 1fr) minmax(0, 2fr); }
    @media (max-width: 60rem) { main { grid-template-columns: minmax(0, 1fr); } }
    fieldset { border: 1px solid color-mix(in srgb, currentColor 30%, transparent); border-radius: .5rem; margin: 0 0 1rem; }
    legend { font-weight: 600; padding: 0 .4rem; }
    label { display: block; }
    .row { align-items: center; display: grid; gap: .5rem; grid-template-columns: 9rem 1fr 3rem; margin: .3rem 0; }
    input[type=text], input[type=password], select { box-sizing: border-box; font: inherit; padding: .3rem; width: 100%; }
    input[type=checkbox] { justify-self: start; }
    button { font: inherit; padding: .3rem .8rem; }
    :focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
    .pictures { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); }
    figure { margin: 0; min-width: 0; }
    img { background: repeating-conic-gradient(#8884 0 25%, transparent 0 50%) 0 0/20px 20px; display: block; max-width: 100%; }
    img:not([src]) { display: none; }
    figcaption { font-variant-numeric: tabular-nums; }
    pre { background: color-mix(in srgb, currentColor 8%, transparent); border-radius: .5rem; overflow: auto; padding: .8rem; white-space: pre-wrap; word-break: break-all; }
    h2 { font-size: 1rem; margin: 1rem 0 .3rem; }
    #more { list-style: none; padding: 0; }
    #more li { display: flex; gap: .5rem; justify-content: space-between; margin: .3rem 0; }

    """

  static let script = """
    "use strict";
    const byId = (id) => document.getElementById(id);
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
      const secret = byId("secret").value;
      const response = await fetch("playground/sign?path=" + encodeURIComponent(path), {
        headers: secret ? { Authorization: "Bearer " + secret } : {},
      });
      if (!response.ok) throw new Error((await response.text()).trim());
      return response.json();
    }

    function bytes(count) {
      return count < 10000 ? `${count} bytes` : `${Math.round(count / 1000)} KB`;
    }

    async function show(id, url, name) {
      const began = performance.now();
      // As browsers ask for pictures.
      const response = await fetch(url, { headers: { Accept: "image/avif,image/webp,image/*,*/*;q=0.8" } });
      if (!response.ok) throw new Error((await response.text()).trim());
      const blob = await response.blob();
      const took = Math.round(performance.now() - began);
      const image = byId(id);
      if (image.src.startsWith("blob:")) URL.revokeObjectURL(image.src);
      image.src = URL.createObjectURL(blob);
      const isShown = await image.decode().then(() => true, () => false);
      const size = isShown ? `${image.naturalWidth} x ${image.naturalHeight}` : "a format that browsers do not show";
      const timing = response.headers.get("Server-Timing");
      const server = timing ? /dur=([0-9.]+)/.exec(timing) : null;
      byId(id + "-facts").textContent =
        `${name}: ${size}, ${blob.type.replace("image/", "")}, `
        + `${bytes(blob.size)}, ${server ? server[1] + " ms in the server" : took + " ms"}`;
    }

    async function update() {
      const mine = ++number;
      if (!byId("source").value.trim()) return;
      byId("status").textContent = "Working...";
      try {
        const parts = options_of_controls();
        const [result, original] = [await signed(path_of(parts)), await signed(path_of(["raw:1"]).replace(/@[a-z]+$/, ""))];
        if (mine !== number) return;
        byId("url").textContent = new URL(result.url, location.href).href;
        byId("command").textContent = result.command || "This order needs a picture that must be loaded first.";
        byId("swift").textContent = result.swift || "";
        await Promise.all([show("before", original.url.replace(/^\\//, ""), "Before"), show("after", result.url.replace(/^\\//, ""), "After")]);
        if (mine === number) byId("status").textContent = "Done.";
      } catch (error) {
        if (mine === number) byId("status").textContent = error.message;
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
    for (const button of document.querySelectorAll(".copy")) {
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(byId(button.dataset.from).textContent);
        byId("status").textContent = "Copied.";
      });
    }
    fetch("playground/options").then((response) => response.json()).then((known) => {
      options = known.options;
      byId("option").replaceChildren(...options.map((option) => new Option(option.name, option.name)));
      show_help();
    });
    show_values();

    """
}
