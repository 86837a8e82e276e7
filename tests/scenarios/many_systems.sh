# Games with hundreds of systems, or with thousands of components: the work and the garbage of a system, and the memory
# of a component, do not depend on their number.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

# play FOLDER TICKS [OPTIONS]: runs a game in LuaJIT, and writes its statistics to $tmp/out.
play() {
  folder=$1 ticks=$2
  shift 2
  timeout -s KILL $((20 * SLOW / 100 + 20)) "$release" run "$folder" --headless --no-watch --seed 1 --strict \
    --ticks "$ticks" --stats "$@" >"$tmp/out" 2>&1 || fail "the run failed: $(tail -n 5 "$tmp/out")"
}

names_garbage() {
  mkdir -p "$tmp/garbage/systems"
  echo 'return { title = "garbage", start = function() world.spawn_many("dot", 40) end }' >"$tmp/garbage/game.lua"
  echo 'return { value = { n = 0 }, kept = { n = 0 } }' >"$tmp/garbage/components.lua"
  echo 'return { dot = { components = { value = {}, kept = {} } } }' >"$tmp/garbage/assemblages.lua"
  cat >"$tmp/garbage/systems/label.lua" <<'END'
local function length(n)
  return #("number %d"):format(n % 1000)
end
return {
  query = { "value" },
  each = function(e)
    local list = { e.value.n, length(e.value.n) }
    table.sort(list)
    e.value.n = e.value.n + list[1]
  end,
}
END
  echo 'return { query = { "kept" }, each = function(e) e.kept.n = e.kept.n + 1 end }' >"$tmp/garbage/systems/clean.lua"
  play "$tmp/garbage" 600 --explain all
  grep -q '^garbage: label (systems/label.lua): .* a row: .*a table (systems/label.lua:7).*a string (format) (systems/label.lua:2)' \
    "$tmp/out" || fail "no such line: $(grep '^garbage' "$tmp/out")"
  ! grep -q '^garbage: clean' "$tmp/out" || fail "$(grep '^garbage: clean' "$tmp/out")"
}

it "--explain names the lines of a system that create garbage" names_garbage
