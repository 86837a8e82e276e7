// A proposed change to the game's files: shows the diff, writes the change if the files still have the stamp of the
// diff, and undoes it. Panels that change files share this view.
import { request } from "./wire.js";
import { make, notify } from "./kit.js";

const SIGNS = { "+": "added", "-": "removed", "@": "range", "\\": "note" };

// Returns the unified diff of one file as coloured lines, without its two header lines.
export function diffView(file) {
  const lines = file.diff.split("\n").slice(2, -1);
  return make(
    "div.file-diff",
    null,
    make(
      "div.place",
      null,
      make("b", null, file.file),
      file.created && make("span.badge", null, "new file"),
      file.removed && make("span.badge", null, "removed"),
      make(
        "span.dim",
        null,
        `+${lines.filter((x) => x[0] === "+").length} −${lines.filter((x) => x[0] === "-").length}`,
      ),
    ),
    make(
      "pre.diff",
      null,
      lines.map((line) => make(`div.${SIGNS[line[0]] ?? "kept"}`, null, line || " ")),
    ),
  );
}

// Lists the places that contain the changed name and are not changed.
function unsureView(list) {
  return make(
    "div.unsure",
    null,
    make("b", null, list.length === 1 ? "1 place is not changed" : `${list.length} places are not changed`),
    make("div.dim", null, "May refer to something else: check after writing"),
    make(
      "div.places",
      null,
      list.map((x) => make("div", null, x.file && make("b", null, `${x.file}:${x.line}`), ` ${x.text}`)),
    ),
  );
}

// Changes that this page has written, the most recent first.
const written = [];
const lists = new Set();

// Returns the written changes that must be undone before `x`: later changes to the same files.
function laterChanges(x) {
  const files = new Set(x.files.map((file) => file.file));
  return written
    .slice(0, written.indexOf(x))
    .filter((y) => y.state !== "undone" && y.files.some((file) => files.has(file.file)));
}

async function undoChange(x) {
  try {
    await request("undo", { step: x.undo });
    x.state = "undone";
  } catch (error) {
    const later = laterChanges(x);
    x.state = error.message + (later.length ? `: first undo ${later.map((y) => y.title).join(", then ")}` : "");
  }
  lists.forEach((draw) => draw());
}

function writtenRow(x) {
  return make(
    "div.written-row",
    null,
    make(
      "div.head",
      null,
      make("b", null, x.title),
      make("span.dim", null, x.files.map((file) => file.file).join(", ")),
      x.state === "undone"
        ? make("span.badge", null, "undone")
        : make(
            "button",
            { onclick: () => undoChange(x), title: "restore the files, unless they have changed since" },
            "Undo",
          ),
    ),
    x.state && x.state !== "undone" && make("div.error", null, x.state),
    make("details", null, make("summary.dim", null, "diff"), x.files.map(diffView)),
  );
}

// Creates a list of the written changes, which is redrawn after each write and undo.
export function writtenList() {
  const box = make("div.written");
  const draw = () =>
    box.replaceChildren(...(written.length ? [make("h3", null, "Written"), ...written.map(writtenRow)] : []));
  lists.add(draw);
  draw();
  return box;
}

// Creates a view. onProblems(problems): called with the list of invalid members, [{ at, text }], after each proposal;
// onWritten(answer, body): called after the change was written; onCancel(): called by the button Cancel. `hint`: text
// shown while there is no diff. Returns { element, update }. update(body, now): proposes the request `body`, { what, …
// }, or clears the view if it is null. A body that equals the previous one is proposed again, because the game may have
// changed, but the button Write stays enabled, so that a click meanwhile is not lost.
export function proposalView({ hint, onProblems, onWritten, onCancel }) {
  let body = null,
    answer = null,
    latest = 0,
    timer;
  const diffs = make("div.diffs"),
    message = make("div.error", { hidden: true, role: "alert" });
  const showMessage = (text) => {
    message.textContent = text;
    message.hidden = !text;
  };
  const write = make("button.main.write-change", { onclick: () => apply(), disabled: true }, "Write");
  const cancel = make("button.cancel-change", { onclick: () => onCancel() }, "Cancel");
  const draw = () => {
    const problems = answer?.problems.length ?? 0;
    write.disabled = !answer || problems > 0 || answer.files.length === 0;
    write.textContent = answer && answer.files.length > 1 ? `Write ${answer.files.length} files` : "Write";
    diffs.replaceChildren(
      ...(answer?.unsure?.length ? [unsureView(answer.unsure)] : []),
      ...(answer?.files.length
        ? answer.files.map(diffView)
        : [make("div.empty", null, problems ? "Correct the marked fields to see the change." : hint)]),
    );
    onProblems?.(answer?.problems ?? []);
  };
  const propose = async () => {
    const number = ++latest;
    try {
      const found = body && (await request("propose", body));
      if (number !== latest) return;
      answer = found;
    } catch (error) {
      if (number !== latest) return;
      answer = null;
      showMessage(error.message);
    }
    draw();
  };
  const update = (next, now) => {
    const isSame = next && JSON.stringify(next) === JSON.stringify(body);
    body = next;
    if (!isSame) showMessage(""); // a refused change stays explained while the page polls the file
    clearTimeout(timer);
    if (now || !body) return propose();
    if (!isSame) write.disabled = true; // until the diff shows the new input
    timer = setTimeout(propose, 120);
  };
  const apply = async () => {
    const sent = body;
    write.disabled = true;
    clearTimeout(timer);
    ++latest; // the answer to a pending proposal must not bring the written change back
    try {
      const done = await request("apply", { ...sent, stamp: answer.stamp });
      written.unshift({ ...done, state: "" });
      lists.forEach((redraw) => redraw());
      const names = done.files.map((x) => x.file);
      notify(`Wrote ${names.length > 3 ? `${names.length} files` : names.join(", ")}`);
      answer = null;
      body = null;
      showMessage("");
      draw();
      onWritten?.(done, sent);
    } catch (error) {
      showMessage(error.message); // a file has changed: show the new diff, and keep the input
      await propose();
    }
  };
  draw();
  const element = make(
    "div.proposal",
    null,
    make("div.bar", null, make("b.grow", null, "Change"), cancel, write),
    message,
    make("div.scroll", null, diffs, writtenList()),
  );
  return { element, update };
}
