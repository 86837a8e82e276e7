# One call to the file system fails: opening, reading or examining a file or a folder, with EIO, EACCES or EMFILE. The
# command must either give the same result as without the failure, or report the reason and change nothing. With
# --long, each call of each command fails once; otherwise, two or three calls fail for each error code.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
export XDG_DATA_HOME="$tmp/work/data" XDG_CACHE_HOME="$tmp/cache"

# --- a game that has a file of every kind

create_game() {
  rm -rf "$tmp/base"
  mkdir -p "$tmp/base/data" "$tmp/base/addon/systems"
  game=$tmp/base/game
  for folder in components assemblages systems scenes assets/deep migrations addons/glow/components addons/plain lib; do
    mkdir -p "$game/$folder"
  done
  cat >"$game/game.lua" <<'END'
return { title = "Faults", addons = { "glow" }, start = function()
  world.open("room")
  for i, e in ipairs(world.spawn_many("hero", 10)) do e:add("gold", { amount = i * 100 }) end
end }
END
  echo 'return { gold = { amount = 0 } }' >"$game/components/gold.lua"
  echo 'return { counts = shoal.types.single { ticks = shoal.types.i32(0), bonus = 0 } }' >"$game/components/counts.lua"
  echo 'return { hero = { components = { transform = {}, shape = {} } } }' >"$game/assemblages/hero.lua"
  cat >"$game/systems/count.lua" <<'END'
local bonus, list = require("lib.bonus"), assets.json "list.json"
return { update = function()
  local counts = world.single.counts
  counts.ticks = counts.ticks + 1
  counts.bonus = counts.bonus + bonus.amount + list[1]
end }
END
  echo 'return { phase = "post_update", update = function() world.random() end }' >"$game/systems/random.lua"
  echo 'return { amount = 2 }' >"$game/lib/bonus.lua"
  echo '{"format":1,"entities":[{"name":"door","components":{"transform":{"x":3}}}]}' >"$game/scenes/room.json"
  echo '[ 5 ]' >"$game/assets/list.json"
  echo 'text' >"$game/assets/deep/note.txt"
  echo '-- nothing to do' >"$game/migrations/1_first.lua"
  echo 'return { name = "glow", version = "1.0.0" }' >"$game/addons/glow/addon.lua"
  echo 'return { glow = { power = 1 } }' >"$game/addons/glow/components/glow.lua"
  echo 'a note' >"$game/addons/plain/note.txt"
  echo 'return { name = "spark", version = "2.0.0" }' >"$tmp/base/addon/addon.lua"
  echo 'return { update = function() end }' >"$tmp/base/addon/systems/spark.lua"
  run_game --ticks 1 --exec 'world.spawn("hero", { gold = { amount = 4 } }) world.save("slot")' --save old.sqlite || fail "$(cat "$tmp/err")"
}
fresh() { rm -rf "$tmp/work" "$tmp/cache" && cp -a "$tmp/base" "$tmp/work"; }

STATE='local sum = 0 for e in world.each("gold") do sum = sum + e.gold.amount end
print("state", sum, world.single.counts.ticks, world.single.counts.bonus, world.hash())'
run_game() { (cd "$tmp/${in-work}" && "$release" run game --headless --seed 1 "$@") >"$tmp/out" 2>"$tmp/err"; }

# --- commands

LOAD='local found, why = world.load("slot") if not found then log.warn("%s", why) end'

act_start() { run_game --ticks 3 --hash --exec "$STATE"; }
act_reload() { run_game --ticks 4 --hash --exec 'reload()' --exec "$STATE"; }
act_save() { run_game --ticks 2 --exec 'world.save("slot")' --save old.sqlite; }
act_load() { run_game --ticks 2 --load old.sqlite --exec "$STATE" --hash; }
act_load_slot() {
  run_game --ticks 2 --exec "$LOAD" --hash --exec 'for _, s in ipairs(world.saves()) do print(s.name) end'
}
act_temporary() { run_game --ticks 2 --temporary-saves --exec 'world.save("other")' --exec "$LOAD" --hash; }
act_add() { (cd "$tmp/work" && "$release" add addon --to game) >"$tmp/out" 2>"$tmp/err"; }
act_pack() { (cd "$tmp/work" && "$release" pack game package.data --version 1) >"$tmp/out" 2>"$tmp/err"; }

# result_COMMAND repeats the command without a failure, and prints what the command has changed.
result_start() { act_start && cat "$tmp/out"; }
result_reload() { act_reload && cat "$tmp/out"; }
result_save() { act_save && act_load && cat "$tmp/out" && act_load_slot && cat "$tmp/out"; }
result_load() { act_load && cat "$tmp/out"; }
result_load_slot() { act_load_slot && cat "$tmp/out"; }
result_temporary() { act_temporary && cat "$tmp/out" && ls "$tmp/work/data/shoal/saves/game"; }
result_add() {
  [ -e "$tmp/work/game/addons/spark" ] || act_add
  (cd "$tmp/work/game" && find . -type f ! -name '*.tmp' | LC_ALL=C sort | xargs cksum) && act_start && cat "$tmp/out"
}
result_pack() { act_pack && cksum <"$tmp/work/package.data"; }

# Files that exist directly after the failure must be whole: old or new, never missing or damaged.
check_left() { # check_left COMMAND
  case $1 in
    save) act_load && act_load_slot ;;
    add) act_start ;;
    pack) [ ! -e "$tmp/work/package.data" ] || [ "$harmless" ] ;;
  esac
}

# --- failures

# A start, a reload and a package also read the engine's files.
folders() { # folders COMMAND: prints the folders whose calls fail
  [ -z "${only_folder-}" ] || { echo "$only_folder"; return; }
  case $1 in start | reload | pack) echo "$tmp/work:$root/scripts/shoal:$root/assets" ;; *) echo "$tmp/work" ;; esac
}
REASON='Input/output error|Permission denied|Too many open files'
inject() { # inject COMMAND NUMBER CODE: lets this call fail, and appends a line to $tmp/faults if the result is wrong
  rm -f "$tmp/calls"
  harmless=
  status=0
  FAULT_AT=$2 FAULT_ERROR=$3 FAULT_LOG=$tmp/calls FAULT_FOLDERS=$(folders "$1") with_faults "act_$1" || status=$?
  failed=$(sed -n 's/^failed //p' "$tmp/calls")
  [ -n "$failed" ] || return 0
  injected=$((injected + 1))
  if [ "$status" = 0 ] && cmp -s "$tmp/out" "$tmp/expected.out"; then
    harmless=1
  elif ! grep -qE "$REASON" "$tmp/err"; then
    echo "silent: call $2, $failed ($3): status $status: $(head -n 2 "$tmp/err" | tr '\n' ' ')" >>"$tmp/faults"
  fi
  ! diff -rq "$tmp/base" "$tmp/work" >"$tmp/left" 2>&1 || return 0 # nothing has changed
  check_left "$1" >"$tmp/left" 2>&1 || echo "damaged: call $2, $failed ($3): $(tail -n 3 "$tmp/left" "$tmp/err" | tr '\n' ' ')" >>"$tmp/faults"
  "result_$1" >"$tmp/result" 2>&1
  cmp -s "$tmp/result" "$tmp/expected" || echo "lost: call $2, $failed ($3): $(diff "$tmp/expected" "$tmp/result" | head -n 3 | tr '\n' ' ')" >>"$tmp/faults"
  fresh
}
with_faults() { LD_PRELOAD=$tmp/faults.so "$@"; }

survives() { # survives COMMAND: lets the calls of a command fail, all with --long, otherwise about two for each code
  requires builds_library create
  : >"$tmp/faults"
  fresh
  rm -f "$tmp/calls"
  FAULT_LOG=$tmp/calls FAULT_FOLDERS=$(folders "$1") with_faults "act_$1" || fail "$(cat "$tmp/err")"
  cp "$tmp/out" "$tmp/expected.out"
  fresh
  "result_$1" >"$tmp/expected" || fail "$(cat "$tmp/err")"
  calls=$(sed -n 's/^count //p' "$tmp/calls" | sort -n | tail -n 1)
  [ "${calls:-0}" -gt "${min_calls-20}" ] || fail "only ${calls:-0} calls were counted"
  fresh
  injected=0 step=$((LONG ? 1 : calls / 2 + 1))
  for code in 5 13 24; do
    number=$((LONG ? 1 : code % step + 1)) # different calls for each code
    while [ "$number" -le "$calls" ]; do
      inject "$1" "$number" "$code"
      number=$((number + step))
    done
  done
  echo "value $1: $injected injected, $(grep -c '^lost\|^damaged' "$tmp/faults") lost, $(grep -c '^silent' "$tmp/faults") silent" >>"$tmp/figures"
  [ ! -s "$tmp/faults" ] || fail "$(tail -n 1 "$tmp/figures"): $(head -n 12 "$tmp/faults")"
}

builds_library() {
  ${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared -o "$tmp/faults.so" "$root/tests/faults/faults.c" -ldl || fail "faults.so does not build"
}
create() { in=base XDG_DATA_HOME=$tmp/base/data create_game; }

it "the library faults.so, which lets file-system calls fail, can be built" builds_library
it "the game of this suite runs if no call fails" create
# The next call finds that the optional folder is missing.
missing_folder() {
  requires builds_library create
  fresh
  rm -r work/game/migrations
  act_start || fail "$(cat "$tmp/err")"
  cp out expected.out
  rm -f calls
  FAULT_AT=1 FAULT_ERROR=5 FAULT_LOG=$tmp/calls FAULT_FOLDERS=$tmp/work/game/migrations with_faults act_start ||
    fail "$(cat "$tmp/err")"
  grep -q '^failed ' calls || fail "no call has failed"
  cmp expected.out out
  fresh
}
it "a game with a missing optional folder starts if the first call that examines the folder fails" missing_folder
it "a failed file-system call during a start gives the same game or an error with the reason" survives start
it "a failed file-system call during a reload gives the same game or an error with the reason" survives reload
it "a failed file-system call while a world is saved leaves the old or the new save" survives save
it "a failed file-system call while a save is loaded gives the same world or an error with the reason" survives load
it "a failed file-system call while a slot loads gives the same world or an error with the reason" survives load_slot
it "a failed file-system call with temporary saves changes none of the user's saves" survives temporary
it "a failed file-system call of ./shoal add leaves the game unchanged or with the complete add-on" survives add
it "a failed file-system call while a game is packed gives the same package or no package" survives pack

# Lets only calls for one file fail.
fails_for_file() { # fails_for_file COMMAND FILE
  only_folder=$tmp/work/$2
  min_calls=0
  survives "$1"
}
it "a failed call for addon.lua gives the same package or no package" fails_for_file pack game/addons/glow/addon.lua
it "a failed call for package.data gives the same package or an error" fails_for_file pack package.data
