# A game that calls its own C library (scripts/examples/native): with the library, without it, and without --trust.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
example=scripts/examples/native

swing() { # swing FILE BY [options]: writes the hashes to $tmp/FILE; the log must report that BY moves the rope
  file=$1 by=$2
  shift 2
  run_for 60 "$release" run $example --headless --no-watch --seed 1 --strict --ticks 300 --hash every=30 "$@"
  exits 0 err "the rope is moved by $by"
  cp "$tmp/out" "$tmp/$file"
}

with_library() {
  mkdir -p "$tmp/lib"
  ${CC:-cc} -std=c11 -O2 -ffp-contract=off -shared -fPIC $example/rope.c -o "$tmp/lib/librope.so" || fail "rope.c"
  export LD_LIBRARY_PATH="$tmp/lib"
  swing by_c rope.c --trust
}
it "a trusted game with native = true calls its own C library" with_library

same_world() { # same_world BY [options]
  [ -s "$tmp/by_c" ] || fail "there is nothing to compare with"
  swing by_lua "$@"
  cmp -s "$tmp/by_c" "$tmp/by_lua" || fail "$(diff "$tmp/by_c" "$tmp/by_lua" | head -n 4)"
}
it "the example native computes the same world in Lua if its C library is missing" same_world Lua --trust
it "the example native computes the same world in Lua without --trust" same_world Lua
