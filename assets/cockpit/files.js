// Files panel: lists add-ons, loaded files and files with errors; shows sources with line numbers, images and sounds.
import { request, follow } from "./wire.js";
import { $, make, showError, notify, count } from "./kit.js";

let editor = false,
  files = [],
  addons = [],
  failures = new Map();
const PICTURE = /\.(png|jpe?g|svg)$/i,
  SOUND = /\.(wav|ogg|mp3|flac)$/i;
const isServed = (file) => file.startsWith("assets/"); // the game serves its own assets, but not those of add-ons
const size = (bytes) =>
  bytes < 10000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1000).toFixed(0)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;

async function openInEditor(file, line) {
  try {
    await request("open", { file, line: Number(line) || 1 });
    notify(`Opening ${file}:${line || 1} in the editor`);
  } catch (error) {
    showError(error);
  }
}

// Opens the file in the configured editor. Without an editor, and for images, shows it in this panel.
export async function openFile(file, line) {
  if (editor && !PICTURE.test(file)) return openInEditor(file, line);
  document.dispatchEvent(new CustomEvent("tab", { detail: "Files" }));
  return showFile(file, line);
}

async function showFile(file, line) {
  const out = $("file-view");
  if ((PICTURE.test(file) || SOUND.test(file)) && !isServed(file))
    return out.replaceChildren(
      make("h3.file-head", null, file),
      make("div.dim", null, "assets of add-ons have no preview"),
    );
  if (PICTURE.test(file) || SOUND.test(file)) {
    const url = new URL(file, location.href).href,
      info = make("div.dim");
    const picture =
      PICTURE.test(file) &&
      make("img.large", {
        src: url,
        alt: file,
        onload: (event) => {
          const { naturalWidth: width, naturalHeight: height } = event.target;
          info.textContent = `${width} × ${height}, ${size(width * height * 4)} as a texture`;
        },
      });
    return out.replaceChildren(
      make("h3.file-head", null, file),
      info,
      picture || make("audio", { controls: true, src: url }),
    );
  }
  try {
    const { text } = await request("file", { file });
    const lines = text.split("\n"),
      failure = failures.get(file);
    out.replaceChildren(
      make(
        "h3.file-head",
        null,
        file,
        make(
          "button",
          { onclick: () => openInEditor(file, line), title: "open this line in the editor set with --editor" },
          "Open in the editor",
        ),
      ),
      ...(failure ? [make("div.error", null, failure.message)] : []),
      make(
        "pre.source",
        null,
        lines.map((x, i) =>
          make(
            i + 1 === Number(line) ? "div.at" : i + 1 === failure?.line ? "div.failing" : "div",
            { ondblclick: () => openInEditor(file, i + 1) },
            make("span.no", null, String(i + 1)),
            x || " ",
          ),
        ),
      ),
    );
    out.querySelector(".at, .failing")?.scrollIntoView({ block: "center" });
  } catch (error) {
    out.replaceChildren(make("div.error", null, error.message));
  }
}

// Shows the add-ons; a click on one lists its files.
function drawAddons() {
  $("addon-list").hidden = addons.length === 0;
  $("addon-list").replaceChildren(
    ...addons.map(([name, version, folder, edited]) =>
      make(
        "button.addon",
        {
          title: folder,
          onclick: () => {
            $("file-filter").value = `addons/${name}/`;
            draw();
          },
        },
        `${name} ${version}${edited ? " (edited)" : ""}`,
      ),
    ),
  );
}

function draw() {
  const list = $("file-list"),
    text = $("file-filter").value.toLowerCase();
  const matches = files
    .filter(([name]) => name.toLowerCase().includes(text))
    .sort((a, b) => failures.has(b[0]) - failures.has(a[0]));
  list.replaceChildren(
    ...matches.map(([name, kind, bytes]) =>
      make(
        `div.file${failures.has(name) ? ".bad" : ""}`,
        {
          tabIndex: 0,
          title: failures.get(name)?.message ?? name,
          onclick: () => showFile(name),
          onkeydown: (event) => {
            if (event.key === "Enter") showFile(name);
          },
        },
        PICTURE.test(name) && isServed(name)
          ? make("img", { loading: "lazy", src: new URL(name, location.href).href, alt: "" })
          : make("span.kind", null, SOUND.test(name) ? "♪" : kind === "source" ? "≡" : "·"),
        make(
          "span.name",
          null,
          name.replace(/^.*\//, ""),
          make(
            "span.dim",
            null,
            name.includes("/") ? `  ${name.replace(/^assets\//, "").replace(/\/?[^/]*$/, "")}` : "",
          ),
        ),
        make("span.dim", null, size(bytes)),
      ),
    ),
  );
  const countOf = (kind) => count(files.filter((x) => x[1] === kind).length, kind);
  $("file-sum").textContent =
    `${countOf("source")}, ${countOf("asset")}` + (failures.size ? `, ${failures.size} with errors` : "");
}

function addFailure(text, message) {
  const found = /^([\w./-]+\.\w+):(\d+)/.exec(text ?? "");
  if (found) failures.set(found[1], { line: Number(found[2]), message });
}
export async function shown() {
  try {
    const found = await request("files"),
      parked = await request("parked");
    files = found.rows;
    addons = (await request("addons")).rows;
    drawAddons();
    editor = found.editor;
    for (const row of parked.rows) {
      addFailure(/[\w./-]+\.lua:\d+/.exec(row[2])?.[0], row[2]);
    }
    draw();
  } catch (error) {
    $("file-list").replaceChildren(make("div.error", null, error.message));
  }
}

export function panel() {
  follow({ what: "errors", hz: 4 }, (errors) => {
    failures = new Map();
    if (errors?.kind) {
      addFailure(errors.place, errors.message);
      for (const other of errors.others ?? []) addFailure(other, other);
    }
    if ($("file-list")?.offsetParent) shown();
  });
  request("files")
    .then((found) => {
      editor = found.editor;
    })
    .catch(() => {});
  return make(
    "div.panel.files",
    null,
    make(
      "div.side",
      null,
      make(
        "div.bar",
        null,
        make("input.wide", {
          id: "file-filter",
          type: "search",
          placeholder: "filter",
          ariaLabel: "filter files",
          oninput: draw,
        }),
      ),
      make("div.bar", { id: "addon-list", hidden: true }),
      make("div.scroll", { id: "file-list" }),
      make("footer.dim", { id: "file-sum" }),
    ),
    make(
      "div.scroll",
      { id: "file-view" },
      make(
        "div.empty",
        null,
        make(
          "p",
          null,
          "The sources, images and sounds of the game are listed on the left. Select a file to show it here.",
        ),
        make(
          "p",
          null,
          "Double-click a line of a source to open it in your editor. A saved file is reloaded while the game runs.",
        ),
      ),
    ),
  );
}
