# README.md and engine/docs tell the truth: every snippet runs, every link leads somewhere, every option, message, name
# and function that they name is there. How a snippet says how it is run: the head of lib/pages.lua.
# needs: release release/library
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
export root tmp release
pages="README.md $(echo engine/docs/*.md)"

check() { luajit tests/scenarios/lib/pages.lua "$@" || exit 1; }

# Snippets of several pages run at a time; what was found is told page by page.
mkdir -p "$tmp/found"
found() { echo "$tmp/found/$(echo "$1" | tr / _)"; }
# shellcheck disable=SC2016,SC2086
printf '%s\n' $pages | while read -r page; do
  is_selected "the snippets of $page run" && printf '%s\0%s\0' "$page" "$(found "$page")"
done | xargs -0 -r -n 2 -P "$(nproc 2>/dev/null || echo 2)" sh -c \
  'luajit tests/scenarios/lib/pages.lua snippets "$1" >"$2" 2>&1 || echo failed >>"$2"' snippets
snippets() {
  [ -e "$(found "$1")" ] || fail "they did not run"
  ! [ -s "$(found "$1")" ] || fail "$(cat "$(found "$1")")"
}

for page in $pages; do
  it "$page begins with one sentence that says what it is for" check opening "$page"
  it "the snippets of $page run" snippets "$page"
  it "the links of $page lead somewhere" check links "$page"
  it "the files that $page names are there" check paths "$page"
done
it "the links of design notes and of plugins' pages lead somewhere" \
  check links engine/README.md engine/design/*.md engine/plugins/*/README.md
it "the README has 600 to 800 words" check length README.md
it "every file and function of the tour is there" check tour engine/docs/tour.md
it "options, commands and keys are those of the program" check options engine/docs/command-line.md
for page in cheat_sheet time; do
  it "the keys in $page.md are described as in the help" check keys "engine/docs/$page.md"
done
it "what --hash and --stats print has the form that is described" check formats engine/docs/command-line.md
it "the messages that are explained are said" check messages engine/docs/troubleshooting.md
it "the Lua reference and the page of rare words have every name that scripts can call, and no other" check names engine/docs/lua.md
it "the names of the glossary are there" check glossary engine/docs/glossary.md
it "the packages that are installed are named" check packages engine/docs/CONTRIBUTING.md

modules() {
  for folder in engine/*/; do
    [ -n "$(ls "$folder")" ] || continue # a checkout leaves empty ones behind
    grep -q "^|.*\`$(basename "$folder")/\`" engine/README.md || fail "engine/README.md has no $(basename "$folder")/"
  done
  sed -n -e '/^## The Lua half/q' -e 's/^| `\([a-z]*\)\/`.*/\1/p' engine/README.md | while read -r module; do
    [ -d "engine/$module" ] || fail "engine/$module is missing"
  done
}
it "engine/README.md lists the modules that exist" modules

# What engine/docs/CONTRIBUTING.md and .gdbinit say of signals.
signals() {
  above=$(sed -n 's/.*return SIGRTMIN + \([0-9]*\) + .*/\1/p' engine/process/signals.c)
  lookers=$(sed -n '/^typedef enum signals_client_t/,/SIGNALS_CLIENTS/p' engine/process/signals.h | grep -c '^  SIGNALS_[A-Z]*,')
  [ -n "$above" ] && [ "$lookers" -ge 2 ] || fail "no signals of timers in engine/process/signals.c"
  for number in $(seq "$((34 + above))" "$((33 + above + lookers))"); do
    # (As gdb calls it: the C library keeps the first two of the kernel's 32.)
    grep -q "^handle.* SIG$number .*nostop noprint pass" .gdbinit || fail ".gdbinit lacks SIG$number"
  done
}
it ".gdbinit passes on the signals that the program sends itself" signals

bench_keys() {
  for key in title runs rows what value unit ratio reach reached; do
    grep -qE "(^|[^a-z_])$key = " tests/bench/run || fail "tests/bench/run has no $key"
    grep -q "\`$key\`" engine/docs/performance.md || fail "engine/docs/performance.md has no $key"
  done
}
it "the keys of bench --json are those that are described" bench_keys

# What a newcomer's own mistakes must not do to these checks: a page with every kind of fault is found out.
faulty() {
  mkdir -p "$tmp/faulty/engine/docs" "$tmp/faulty/tests"
  for name in build scripts assets shoal premake5.lua; do ln -sfn "$root/$name" "$tmp/faulty/$name"; done
  cat >"$tmp/faulty/engine/docs/bad.md" <<'END'
# Bad

One sentence. Two.

[nowhere](no.md) [no heading](#none) `engine/nothing.c` `premake5.lua:no_function`

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
  for kind in opening links paths snippets tour; do
    said=$(root=$tmp/faulty luajit tests/scenarios/lib/pages.lua $kind engine/docs/bad.md) && fail "$kind finds nothing"
    echo "$said"
  done >"$tmp/said"
  for word in "first paragraph is one sentence" "no.md leads nowhere" "no heading #none" \
    "there is no engine/nothing.c" "this is not refused" "on purpose" "says something else" \
    "there is no command frobnicate" "does not say how this block is run" "says why" "has no no_function"; do
    says said "$word"
  done
}
it "a page with faults of every kind is found out" faulty
