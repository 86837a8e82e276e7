// Dialogs to choose an asset, with previews, or an entity: a search field above a list. Arrow keys and Enter, or a
// click, choose an item; Escape cancels.
import { request } from "./wire.js";
import { make } from "./kit.js";
import { toSql } from "./entities.js";

const PICTURE = /\.(png|jpe?g|svg)$/i,
  SOUND = /\.(wav|ogg|mp3|flac|opus)$/i,
  MAP = /\.(tmj|ldtk)$/i,
  FONT = /\.(ttf|otf|ttc)$/i;
const KINDS = [
  ["images", PICTURE, /image|picture|sprite|icon|texture|tint|mask/],
  ["sounds", SOUND, /sound|music|track|clip|voice|file/],
  ["maps", MAP, /map|level/],
  ["fonts", FONT, /font|face/],
];
const sound = new Audio();

// Opens a dialog. `items(text)` returns a promise of the matching items, { value, element, onHighlight }; `onChoose` is
// called with the value of the chosen item; `extra(redraw)` returns an additional widget.
function openChooser({ title, hint, items, onChoose, extra }) {
  const dialog = make("dialog.chooser"),
    list = make("div.scroll.choices", { role: "listbox" });
  let found = [],
    at = 0,
    latest = 0;
  const highlight = () => {
    found.forEach((x, i) => {
      x.element.classList.toggle("chosen", i === at);
      x.element.setAttribute("aria-selected", i === at);
    });
    found[at]?.element.scrollIntoView({ block: "nearest" });
  };
  const accept = (i) => {
    dialog.close();
    onChoose(found[i].value);
  };
  const search = make("input", {
    type: "search",
    placeholder: hint,
    ariaLabel: title,
    spellcheck: false,
    autocomplete: "off",
  });
  const draw = async () => {
    const number = ++latest,
      answer = await items(search.value.trim());
    if (number !== latest) return;
    found = answer;
    at = 0;
    found.forEach((x, i) => {
      x.element.onclick = () => accept(i);
    });
    list.replaceChildren(...(found.length ? found.map((x) => x.element) : [make("div.empty", null, "no matches")]));
    highlight();
  };
  const perRow = () => Math.max(1, found.filter((x) => x.element.offsetTop === found[0].element.offsetTop).length);
  const by = { ArrowRight: () => 1, ArrowLeft: () => -1, ArrowDown: perRow, ArrowUp: () => -perRow() };
  dialog.onkeydown = (event) => {
    event.stopPropagation(); // otherwise the key would also trigger a command
    if (
      by[event.key] &&
      found.length &&
      !(event.target.matches("select") || (/Left|Right/.test(event.key) && search.value))
    ) {
      at = Math.max(0, Math.min(found.length - 1, at + by[event.key]()));
      highlight();
      found[at].onHighlight?.();
    } else if (event.key === "Escape") dialog.close();
    else if (event.key === "Enter" && found[at] && !event.target.matches("button, select")) accept(at);
    else return;
    event.preventDefault();
  };
  dialog.onclose = () => {
    sound.pause();
    dialog.remove();
  };
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close();
  };
  search.oninput = draw;
  dialog.append(
    make(
      "div.chooser-head",
      null,
      search,
      extra?.(draw),
      make("button", { title: "Escape", onclick: () => dialog.close() }, "Cancel"),
    ),
    list,
  );
  document.body.append(dialog);
  dialog.showModal();
  search.focus();
  draw();
}

// --- assets

function playSound(name) {
  sound.src = `assets/${encodeURI(name)}`;
  sound.play().catch(() => {});
}

function assetTile(name, current) {
  const short = name.replace(/^.*\//, "");
  const face = PICTURE.test(name)
    ? make("img", { src: `assets/${encodeURI(name)}`, loading: "lazy", alt: "" })
    : SOUND.test(name)
      ? make(
          "button.play",
          {
            title: `play ${short}`,
            onclick: (event) => {
              event.stopPropagation();
              playSound(name);
            },
          },
          "▶",
        )
      : make("span.kind", null, MAP.test(name) ? "▦" : FONT.test(name) ? "Aa" : "·");
  const element = make(
    `div.choice${name === current ? ".current" : ""}`,
    { role: "option", title: name },
    face,
    make("span", null, short),
  );
  if (face.tagName === "IMG")
    face.onload = () => {
      element.title = `${name}, ${face.naturalWidth} × ${face.naturalHeight}`;
    };
  return { value: name, element, onHighlight: SOUND.test(name) ? () => playSound(name) : () => sound.pause() };
}

export async function chooseAsset(field, current, onChoose) {
  const { rows } = await request("files"),
    all = rows.filter((x) => x[1] === "asset").map((x) => x[0].replace(/^assets\//, ""));
  const kinds = KINDS.filter(([, ending]) => all.some((x) => ending.test(x)));
  let kind = kinds.find(([, ending]) => ending.test(current)) ?? kinds.find(([, , text]) => text.test(field));
  openChooser({
    title: `choose an asset for ${field}`,
    hint: `${field}: search assets`,
    onChoose,
    extra: (redraw) => {
      const select = make(
        "select",
        {
          ariaLabel: "kind",
          onchange: () => {
            kind = kinds.find(([word]) => word === select.value);
            redraw();
          },
        },
        kinds.map(([word]) => make("option", null, word)),
        make("option", { value: "" }, "all files"),
      );
      select.value = kind?.[0] ?? "";
      return select;
    },
    items: (text) =>
      all
        .filter(
          (x) =>
            (!kind || kind[1].test(x)) &&
            text
              .toLowerCase()
              .split(/\s+/)
              .every((word) => x.toLowerCase().includes(word)),
        )
        .slice(0, 300)
        .map((x) => assetTile(x, current)),
  });
}

// --- entities

function entityRow([entity, label, kind, state], current) {
  return {
    value: entity,
    element: make(
      `div.row${entity === current ? ".picked" : ""}`,
      { role: "option" },
      make("span.id", null, String(entity)),
      label && make("span.name", null, label),
      make(label ? "span.dim" : "span.kind", null, kind ?? ""),
      state && make("span.state", null, state),
    ),
  };
}

export function chooseEntity(field, current, onChoose) {
  const none = {
    value: 0,
    element: make("div.row", { role: "option" }, make("span.id", null, "0"), make("span.dim", null, "none")),
  };
  openChooser({
    title: `choose an entity for ${field}`,
    hint: `${field}: name, :component, health.hp < 10, id`,
    onChoose,
    items: async (text) => {
      try {
        const { rows } = await request("sql", { text: toSql(text, false), limit: 200 });
        return [...(text ? [] : [none]), ...rows.map((row) => entityRow(row, current))];
      } catch (error) {
        return [{ value: current, element: make("div.error", null, error.message) }];
      }
    },
  });
}
