# Checks README.md and engine/docs: the code examples run, every link resolves, and every option, message, name and
# function that they mention exists. A normal run runs the examples of the README and of every second page; with --long,
# of all pages. The head of lib/pages.lua describes how code examples declare how to run them.
# needs: release release/library
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
export root tmp release
pages="README.md $(echo engine/docs/*.md)"

check() { luajit tests/scenarios/lib/pages.lua "$@" || exit 1; }

# The code examples of several pages run in parallel; their results are reported page by page.
mkdir -p "$tmp/found"
# shellcheck disable=SC2046,SC2086
with_examples=" $(every_nth 2 1 $pages | tr '\n' ' ')"
found() { echo "$tmp/found/$(echo "$1" | tr / _)"; }
# shellcheck disable=SC2016,SC2086
printf '%s\n' $with_examples | while read -r page; do
  is_selected "the code examples of $page run" && printf '%s\0%s\0' "$page" "$(found "$page")"
done | xargs -0 -r -n 2 -P "$(nproc 2>/dev/null || echo 2)" sh -c \
  'luajit tests/scenarios/lib/pages.lua snippets "$1" >"$2" 2>&1 || echo failed >>"$2"' snippets
snippets() {
  [ -e "$(found "$1")" ] || fail "the code examples did not run"
  ! [ -s "$(found "$1")" ] || fail "$(cat "$(found "$1")")"
}

for page in $pages; do
  it "$page begins with a sentence about its purpose" check opening "$page"
  case $with_examples in
    *" $page "*)
      it "the code examples of $page run" snippets "$page" ;;
  esac
  it "the links in $page resolve" check links "$page"
  it "the files named in $page exist" check paths "$page"
done
functions_page() {
  luajit engine/docs/site/plugin_functions.lua | diff - engine/docs/plugin_functions.md ||
    fail "edit engine/docs/site/plugin_functions.lua, then run: luajit engine/docs/site/plugin_functions.lua >" \
      "engine/docs/plugin_functions.md"
}
it "plugin_functions.md matches the list of functions that it is generated from" functions_page
it "the links in design notes and plugin pages resolve" \
  check links engine/README.md engine/design/*.md engine/plugins/*/README.md engine/*/README.md
it "the sections that answer the questions in tests/questions.md exist" check links tests/questions.md
it "the games, examples and plugins named in sources.md exist" check shown_names engine/docs/sources.md
it "the README has 600 to 800 words" check length README.md
it "every file and function named in the tour exists" check tour engine/docs/tour.md
it "command-line.md lists all options, commands and keys of the program" check options engine/docs/command-line.md
it "cheat_sheet.md describes the same keys as the help" check keys engine/docs/cheat_sheet.md
it "--hash and --stats print the documented formats" check formats engine/docs/command-line.md
it "every message listed in troubleshooting.md exists in the engine" check messages engine/docs/troubleshooting.md
it "every --explain reason listed in native.md exists in the engine" check messages engine/docs/native.md
it "the pages describe exactly the names that scripts can use" check names engine/docs/lua.md
it "the names listed in the glossary exist" check glossary engine/docs/glossary.md
it "CONTRIBUTING.md lists the packages required to build" check packages engine/docs/CONTRIBUTING.md

layers() {
  for folder in engine/*/; do
    [ -n "$(ls "$folder")" ] || continue # git may leave empty folders
    grep -q "^| .*\`$(basename "$folder")/\`" engine/README.md || fail "engine/README.md has no $(basename "$folder")/"
  done
}
it "engine/README.md lists all folders of the engine" layers

names_version() {
  version=$("$release" --version)
  grep -qF "The current version is ${version#shoal }." engine/docs/stability.md || fail "$version, but $(sed -n 5p engine/docs/stability.md)"
}
it "stability.md states the program's version" names_version

# The timer signals, which .gdbinit must pass to the program (engine/docs/CONTRIBUTING.md).
signals() {
  above=$(sed -n 's/.*return SIGRTMIN + \([0-9]*\) + .*/\1/p' engine/core/process/signals_linux.c)
  clients=$(sed -n '/^typedef enum signals_client_t/,/SIGNALS_CLIENTS/p' engine/core/process/signals.h | grep -c '^  SIGNALS_[A-Z]*,')
  [ -n "$above" ] && [ "$clients" -ge 2 ] || fail "no signals of timers in engine/core/process/signals_linux.c"
  for number in $(seq "$((34 + above))" "$((33 + above + clients))"); do
    # gdb's numbers: the C library reserves the first two of the kernel's 32 real-time signals.
    grep -q "^handle.* SIG$number .*nostop noprint pass" .gdbinit || fail ".gdbinit lacks SIG$number"
  done
}
it ".gdbinit passes every timer signal to the program without stopping" signals

bench_keys() {
  for key in title runs rows what value unit ratio reach reached absolute skipped why; do
    grep -qE "(^|[^a-z_])$key = " tests/bench/run || fail "tests/bench/run has no $key"
    grep -q "\`$key\`" engine/docs/performance.md || fail "engine/docs/performance.md has no $key"
  done
}
it "each key of bench --json is printed and documented" bench_keys

# Tests the checks themselves: each kind of error in a page must be reported.
faulty() {
  mkdir -p "$tmp/faulty/engine/docs" "$tmp/faulty/tests"
  for name in build scripts assets shoal premake5.lua; do ln -sfn "$root/$name" "$tmp/faulty/$name"; done
  cat >"$tmp/faulty/engine/docs/bad.md" <<'END'
# Bad

One sentence. Two.

[nowhere](no.md) [no heading](#none) `engine/nothing.c` `premake5.lua:no_function`
and the game `no_game`

```lua refused
-- game.lua
return { title = "good" }
```

```lua exec
error("on purpose")
```

```console
$ echo one
two
```

```sh
./shoal frobnicate
```

```lua
print(1)
```

```sh shown, why
true
```
END
  for kind in opening links paths snippets tour shown_names; do
    said=$(root=$tmp/faulty luajit tests/scenarios/lib/pages.lua $kind engine/docs/bad.md) && fail "$kind finds nothing"
    echo "$said"
  done >"$tmp/said"
  for message in "first paragraph must be one sentence" "broken link no.md" "no heading #none" \
    "engine/nothing.c does not exist" "scripts/games/no_game does not exist" "expected a refusal" "on purpose" "unexpected output" \
    "unknown command frobnicate" "unknown way to run this block" "needs a reason" "has no no_function"; do
    says said "$message"
  done
}
it "errors in the opening, links, paths, code and symbols of a page are reported" faulty
