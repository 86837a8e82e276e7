// Interaction of the site: search, light and dark theme, sidebar on phones, copying snippets.
"use strict";
const byId = (id) => document.getElementById(id);
const field = byId("search"),
  results = byId("found"),
  root = document.documentElement;

// ---- search. The index is a script, so that it works without a server. It is loaded on first use.

let chosen = 0;
function withIndex(callback) {
  if (window.shoalIndex) return callback();
  if (document.querySelector("script[src='search.js']")) return;
  const script = document.createElement("script");
  script.src = "search.js";
  script.onload = () => search();
  document.head.append(script);
}

// Returns the score of a section; 0 if it lacks a word. Words in the heading count more than words in the text.
function score(part, words) {
  const [, , title, heading, text] = part.lower || (part.lower = part.map((t) => t.toLowerCase()));
  let sum = 0;
  for (const word of words) {
    const at = heading.indexOf(word),
      inTitle = title.indexOf(word),
      inText = text.indexOf(word);
    if (at < 0 && inTitle < 0 && inText < 0) return 0;
    if (at >= 0) sum += heading === word ? 60 : at === 0 || !/\w/.test(heading[at - 1]) ? 30 : 15;
    if (inTitle >= 0) sum += title === word ? 40 : 12;
    if (inText >= 0) sum += Math.min(8, text.split(word).length) + (/\w/.test(text[inText - 1] || " ") ? 0 : 3);
  }
  return sum - (part[0].startsWith("design-") ? 8 : 0) - (part[0] === "CHANGELOG.html" ? 12 : 0);
}

const escapeHtml = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
function highlight(text, words) {
  const pattern = words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return text
    .split(new RegExp(`(${pattern})`, "gi"))
    .map((t, i) => (i % 2 ? `<mark>${escapeHtml(t)}</mark>` : escapeHtml(t)))
    .join("");
}
function excerpt(text, words) {
  const at = text.toLowerCase().indexOf(words.find((w) => text.toLowerCase().includes(w)) || "\0");
  const from = Math.max(0, at - 50);
  return (from ? "…" : "") + text.slice(from, from + 150);
}

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  results.hidden = words.length === 0;
  if (words.length === 0) return;
  withIndex(() => {
    const hits = [];
    for (const part of window.shoalIndex) {
      const points = score(part, words);
      if (points > 0) hits.push([points, part]);
    }
    hits.sort((a, b) => b[0] - a[0]);
    chosen = 0;
    results.innerHTML =
      hits.length === 0
        ? `<p>No results for “${escapeHtml(field.value)}”.</p>`
        : hits
            .slice(0, 14)
            .map(
              ([, [file, anchor, title, heading, text]], i) =>
                `<a href="${file}${anchor && "#" + anchor}"${i ? "" : ' class="chosen"'}>` +
                `<b>${highlight(heading || title, words)}</b>${heading ? `<i>${escapeHtml(title)}</i>` : ""}` +
                `<span>${highlight(excerpt(text, words), words)}</span></a>`,
            )
            .join("");
  });
}
field.addEventListener("input", search);
const initialQuery = new URLSearchParams(location.search).get("q"); // search from a link: index.html?q=camera
if (initialQuery) {
  field.value = initialQuery;
  search();
}
field.addEventListener("focus", () => withIndex(search));
field.addEventListener("keydown", (ev) => {
  const links = results.querySelectorAll("a");
  if (ev.key === "Escape") {
    field.value = "";
    search();
    field.blur();
  } else if (ev.key === "Enter" && links[chosen]) {
    links[chosen].click();
    results.hidden = true;
  } else if ((ev.key === "ArrowDown" || ev.key === "ArrowUp") && links.length) {
    links[chosen].classList.remove("chosen");
    chosen = (chosen + (ev.key === "ArrowDown" ? 1 : links.length - 1)) % links.length;
    links[chosen].classList.add("chosen");
    links[chosen].scrollIntoView({ block: "nearest" });
    ev.preventDefault();
  }
});
document.addEventListener("keydown", (ev) => {
  if ((ev.key === "/" && document.activeElement !== field) || (ev.key === "k" && (ev.ctrlKey || ev.metaKey))) {
    ev.preventDefault();
    field.focus();
  }
});
document.addEventListener("click", (ev) => {
  if (!results.contains(ev.target) && ev.target !== field) results.hidden = true;
  if (ev.target.closest("#found a")) results.hidden = true;
  if (!ev.target.closest("nav.pages") && ev.target !== byId("open")) document.body.classList.remove("opened");
});

// ---- theme and sidebar

const isDark = () =>
  (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const theme = byId("theme");
const updateThemeButton = () => {
  theme.textContent = isDark() ? "☀" : "☾";
};
theme.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  localStorage.setItem("shoal.theme", root.dataset.theme);
  updateThemeButton();
});
updateThemeButton();
byId("open").addEventListener("click", () => document.body.classList.toggle("opened"));
const current = document.querySelector("nav.pages [aria-current]");
if (current) current.closest("nav").scrollTop = current.offsetTop - 200;

// ---- copying snippets; the current section

// Returns the text of a snippet; for a diff, the new version.
function codeOf(block) {
  const text = block.querySelector("pre").innerText;
  if (!block.querySelector("pre.diff")) return text;
  return text
    .split("\n")
    .filter((line) => !/^(-|@@)/.test(line))
    .map((line) => line.slice(1))
    .join("\n");
}

for (const block of document.querySelectorAll("div.sourceCode")) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "copy";
  button.addEventListener("click", () =>
    navigator.clipboard.writeText(codeOf(block)).then(() => {
      button.textContent = "copied";
    }),
  );
  block.append(button);
}
const links = new Map([...document.querySelectorAll("nav.here a")].map((a) => [a.hash.slice(1), a]));
const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) {
        links.forEach((a) => a.classList.remove("now"));
        links.get(entry.target.id).classList.add("now");
      }
    }
  },
  { rootMargin: "-60px 0px -75% 0px" },
);
for (const heading of document.querySelectorAll("main h2[id], main h3[id]")) {
  if (links.has(heading.id)) watcher.observe(heading);
}
