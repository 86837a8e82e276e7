# Lists in components: columns in a plugin, events of behaviours, reloads. The Lua API is tested in cases/list.lua.
# needs: release
. "$(dirname "$0")/../lib.sh"
here=$root/tests/scenarios/plugins
cd "$tmp" || exit 1
mkdir -p sacks/systems sacks/behaviours

components() { # components CAPACITY
  echo "local t = shoal.types return { bag = { items = t.list(t.u32, $1) } }" >sacks/components.lua
}
components 3
echo 'return { sack = { components = { bag = {}, holder = {} } } }' >sacks/assemblages.lua
echo 'return { title = "sacks", start = function() for i = 1, 3 do world.spawn("sack") end end }' >sacks/game.lua
echo 'local t = shoal.types return { pack = { entity = t.entity, items = t.list(t.u32, 3) } }' >sacks/events.lua
cat >sacks/behaviours/holder.lua <<'END'
return {
  fields = { last = shoal.types.list(shoal.types.u32, 4, { 7 }) },
  on = { pack = function(self, ev)
    self.last = ev.items
    self.last:add(#ev.items)
  end },
}
END
bags() { # bags TICKS [OPTION…]: prints the lists of all entities
  run_for 20 "$release" sql sacks "SELECT group_concat(items, ' ') AS items FROM bag" --ticks "$@"
  tail -n 1 out | tr -d '\n'
}

plugin_columns() {
  compile_once bag.so "${CC:-cc}" -std=c11 -O0 -fPIC -shared -I"$root/engine/include" "$here/bag.c" || fail "does not compile"
  got=$(bags 2 --plugin bag.so)
  [ "$got" = "[] [11] [12,22,32]" ] || fail "$got: $(cat err)"
  says err "bag.items.count must be from 0 to 3, got 9; stored 3"
}
it "an out-of-range count that a plugin writes to a list is clamped and reported" plugin_columns

event_lists() {
  cat >sacks/systems/send.lua <<'END'
return { update = function()
  if world.tick == 1 then
    for e in world.each("holder") do e:send("pack", { items = { 5, 6 } }) end
  end
end }
END
  run_for 20 "$release" sql sacks "SELECT DISTINCT last FROM holder" --ticks 1
  says out "[7]"
  run_for 20 "$release" sql sacks "SELECT DISTINCT last FROM holder" --ticks 4
  says out "[5,6,2]"
  rm sacks/systems/send.lua
}
it "a behaviour can have list fields and receives an event's lists" event_lists

shorter_reload() {
  trap stop_program EXIT
  cat >sacks/systems/fill.lua <<'END'
return { start = function()
  local n = 0
  for e in world.each("bag") do
    n = n + 1
    e.bag.items = n == 1 and { 1 } or { n, 2, 3 }
  end
end }
END
  launch "$release" run sacks --headless --watch --log info
  expect_log "seed"
  mark_log
  components 2
  expect_log "bag.items: cut to 2 values in 2 rows"
}
it "a reload with a smaller capacity truncates lists and reports the number of truncated rows" shorter_reload

# crafters TICKS [OPTION…]: runs the benchmark of crafters with lists and prints the bytes of garbage in each tick.
crafters() {
  run_for 60 "$release" run "$root/tests/bench/lists" --headless --no-watch --seed 1 --strict --stats --log none --ticks "$@"
  exits 0
  cat "$tmp/out" "$tmp/err" | sed -n 's/^stats: lua \([0-9]*\)[0-9.]* bytes per tick.*/\1/p'
}

few_accessors() {
  bytes=$(crafters 400 --native off)
  [ "${bytes:-999999}" -lt 40000 ] || fail "$bytes bytes of garbage per tick"
}
it "loops over the lists of 2,000 entities create less than 40 KB of garbage per tick in LuaJIT" few_accessors

no_rows_in_lua() {
  bytes=$(crafters 100 --native now --explain all)
  cat "$tmp/out" "$tmp/err" >"$tmp/lines"
  ! grep -o -m 1 'nothing is compiled.*\|LLVM is not installed.*' "$tmp/lines" || exit 77
  [ "$(grep -c '^explain: [a-z]* .*: native, .* 0 of them in Lua' "$tmp/lines")" = 3 ] || fail "$(grep '^explain' "$tmp/lines")"
  [ "${bytes:-999999}" -lt 4000 ] || fail "$bytes bytes of garbage per tick"
}
it "native code adds and removes values of lists without Lua and without garbage" no_rows_in_lua
