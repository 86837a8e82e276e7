# Modules that a game does not need can be removed: the program is linked again without them, with functions that return
# 0 in their place, and computes the same worlds.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root/build" || exit 1
export SHOAL_ROOT="$root"

# Maximum number of functions of each removed module that the kept modules use. A number may only decrease, or increase
# with the reason in a comment beside it. host/match includes 5 functions by which machines find rooms of served worlds.
MAX_USED='
  tools/clip 1 tools/cockpit 5 tools/packing 1 tools/server 0
  host/match 82 host/room 1 host/serve 2
  core/link 30
  plugin/plugin 28 plugin/service 2'
MAX_SLACK=5 # a limit that exceeds the number by more must decrease

list_modules() { # list_modules FOLDER…: the modules in these folders of engine/, each as LAYER/MODULE
  (cd "$root/engine" && for folder; do
    case $folder in
      */*) echo "$folder" ;;
      *) find "$folder" -mindepth 1 -maxdepth 1 -type d | sort ;;
    esac
  done)
}

# find_used FOLDER…: writes lines "FUNCTION MODULE USER…" to $tmp/used: functions of the removed modules, and the object
# files of kept modules that use them.
find_used() {
  list_modules "$@" >"$tmp/removed"
  while read -r module; do
    nm -g --defined-only "release/lib/lib${module#*/}.a" | awk -v module="$module" 'NF == 3 { print $3, module }'
  done <"$tmp/removed" >"$tmp/defined"
  for library in release/lib/lib*.a; do
    name=$(basename "$library" .a)
    [ "$name" = liblibrary ] || grep -q "/${name#lib}\$" "$tmp/removed" || echo "$library"
  done >"$tmp/kept"
  # shellcheck disable=SC2046
  nm -gu $(cat "$tmp/kept") release/obj/shoal/main.o 2>/dev/null | awk '
    FILENAME != "-" { module[$1] = $2; next }
    /:$/ { user = $0; sub(/:$/, "", user); sub(/^.*\//, "", user); next }
    $2 in module { users[$2] = users[$2] " " user }
    END { for (name in users) print name, module[name] users[name] }' "$tmp/defined" - | sort >"$tmp/used"
  [ -s "$tmp/used" ] || fail "main.o calls no function of $*"
}

# link_without NAME [SOURCE]: links $tmp/NAME without the modules in $tmp/removed. Their functions print their name in
# their first call and return 0, except those defined in SOURCE.
link_without() {
  name=$1
  shift
  make -n -B -f shoal.make config=release |
    sed -n 's|.* -o "*[^ ]*release/bin/shoal"* |&|p' >"$tmp/link"
  [ "$(wc -l <"$tmp/link")" = 1 ] || fail "no command of the makefile links the program: $(cat "$tmp/link")"
  while read -r module; do
    sed -i "s# -l${module#*/} # #g; s#[^ ]*/lib${module#*/}\.a##g" "$tmp/link"
  done <"$tmp/removed"
  cat >"$tmp/removed.c" <<'END'
#include <stdio.h>
#define REMOVED(name) \
  __attribute__((weak)) long name(void) { \
    static int calls; \
    if (calls++ == 0) fprintf(stderr, "removed: %s\n", #name); \
    return 0; \
  }
END
  awk '{ print "REMOVED(" $1 ")" }' "$tmp/used" >>"$tmp/removed.c"
  ${CC:-cc} -w -fPIC -c "$tmp/removed.c" -o "$tmp/removed.o" || fail "the replacements do not compile"
  objects=$tmp/removed.o
  if [ $# -gt 0 ]; then
    make -n -B -f shoal.make config=release | sed -n 's|^\([^ ]*cc .*\) -o .*main\.o.*|\1|p' >"$tmp/compile"
    eval "$(cat "$tmp/compile") -c '$root/$1' -o '$tmp/$name.o'" || fail "$1 does not compile"
    objects="$objects $tmp/$name.o"
  fi
  sed -i "s# -o [^ ]* # -o $tmp/$name $objects #" "$tmp/link"
  sh "$tmp/link" >"$tmp/link.log" 2>&1 ||
    fail "shoal does not link without $(tr '\n' ' ' <"$tmp/removed"): $(tail -n 5 "$tmp/link.log")"
}

same_hashes() { # same_hashes PROGRAM WORLD: the first 300 ticks must have the expected hashes
  run_for 60 "$tmp/$1" run "$root/scripts/games/$2" --headless --no-watch --seed 1 --strict --ticks 300 --hash every=30
  exits 0
  sed -n "s/^tick \([0-9]*\) hash \([0-9a-f]*\)$/$2 \1 \2/p" "$tmp/out" >"$tmp/hashes"
  awk -v world="$2" '$1 == world && $2 <= 300' "$root/tests/scenarios/expected/hashes" >"$tmp/expected"
  [ "$(wc -l <"$tmp/expected")" = 10 ] || fail "expected/hashes has no hashes of the first 300 ticks of $2"
  cmp -s "$tmp/expected" "$tmp/hashes" || fail "$(diff "$tmp/expected" "$tmp/hashes" | head -n 4)"
}

# A game may call only the functions of the cockpit that main.c calls in each run, and lan_list_destroy.
calls_nothing_else() {
  calls=$(sed -n 's/^removed: //p' "$tmp/err" | grep -v '^client_run_command$\|^cockpit_\|^lan_list_destroy$')
  [ -z "$calls" ] || fail "the game called removed functions: $calls"
}

# The list of uses precedes the sentence, because only the last lines of a failure are shown.
few_uses() {
  find_used tools host/match host/room host/serve core/link plugin
  # shellcheck disable=SC2086
  printf '%s %s\n' $MAX_USED | awk -v slack="$MAX_SLACK" '
    FILENAME == "-" { limit[$1] = $2; next }
    FILENAME == ARGV[2] { removed[$1] = 1; next }
    { ++count[$2]; list[$2] = list[$2] $1 " (" $3 ") " }
    END {
      for (module in removed) {
        if (!(module in limit)) printf "add engine/%s to MAX_USED: %d\n", module, count[module]
        else if (count[module] > limit[module])
          printf "%s\nkept modules use %d functions of engine/%s, expected at most %d: remove the new use\n",
            list[module], count[module], module, limit[module]
        else if (count[module] < limit[module] - slack)
          printf "kept modules use only %d functions of engine/%s: lower its limit, %d\n", count[module],
            module, limit[module]
      }
    }' - "$tmp/removed" "$tmp/used" >"$tmp/wrong"
  [ ! -s "$tmp/wrong" ] || fail "$(cat "$tmp/wrong")"
}
it "modules that a game needs use at most the listed number of functions of each removable module" few_uses

without_network() {
  find_used tools host/match core/link
  link_without without_network
}
it "shoal links without tools/, match/ and link/" without_network

plays_without_network() {
  requires without_network
  same_hashes without_network "$1"
  calls_nothing_else
}
it "Asteroids computes the same world without tools/, match/ and link/" plays_without_network asteroids
it "Lantern computes the same world without tools/, match/ and link/" plays_without_network lantern

without_plugins() {
  find_used tools host/match host/room host/serve core/link plugin
  link_without without_plugins tests/scenarios/lib/without_plugins.c
}
it "shoal links without tools/, match/, room/, serve/, link/ and plugin/" without_plugins

plays_without_plugins() {
  requires without_plugins
  same_hashes without_plugins "$1"
}
it "Asteroids computes the same world without tools/, match/, room/, serve/, link/ and plugin/" plays_without_plugins asteroids
it "Lantern computes the same world without tools/, match/, room/, serve/, link/ and plugin/" plays_without_plugins lantern
