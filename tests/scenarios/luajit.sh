# LuaJIT's compiler: programs give the same results compiled and interpreted. One program for each correction of the
# compiler (engine/script/luajit/changes), and 1,000 random programs (100,000 with --long; tests/luajit).
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

# compare NAME COUNT [FIRST]: runs tests/luajit/run.lua in the program, which must compare COUNT programs.
compare() {
  mkdir -p "$tmp/root/scripts/shoal"
  cp tests/luajit/run.lua "$tmp/root/scripts/shoal/boot.lua"
  cp -r assets "$tmp/root"
  SHOAL_ROOT=$tmp/root FOLDER=$root/tests/luajit CURRENT=$tmp/$1.current FIRST=${3-} COUNT=$2 \
    timeout -k 2 $(((LONG ? 3000 : 60) * SLOW / 100)) "$release" run tests/programs --headless --no-watch --ticks 1 \
    --budget 0 >"$tmp/$1" 2>"$tmp/$1.err" </dev/null ||
    fail "$(cat "$tmp/$1.current") failed: $(tail -n 3 "$tmp/$1.err")"
  [ "$(cat "$tmp/$1")" = "$2 programs" ] || fail "$(head -n 5 "$tmp/$1")"
}

it "programs that LuaJIT used to miscompile give the same results compiled and interpreted" \
  compare cases "$(grep -c '^case(' tests/luajit/cases.lua)"
it "random Lua programs give the same results compiled and interpreted" compare random $((LONG ? 100000 : 1000)) 1
