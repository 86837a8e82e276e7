# Several behaviours on one entity (as in the article "Entities-Parts"): each has its own fields, their order is
# declared, and rewind, save, replay and reload give the same hashes.
# needs: release
. "$(dirname "$0")/../lib.sh"
world=several_behaviours
. "$(dirname "$0")/lib/reproducible.sh"

parts() {
  cat >"$tmp/game/systems/shows.lua" <<'LUA'
return { phase = "post_update", query = { "ear" }, each = function(e)
  if world.tick == 2 and e.transform.x < 11 then
    print("parts", e.leg.steps, e.ear.steps, e.leg:stride(2))
    print("alone", world.find("snail").leg.steps, world.find("snail"):has("ear"))
    print("rows", #world.sql("SELECT * FROM leg"), e:describe().leg.steps)
  end
end }
LUA
  run_for 20 "$release" run "$tmp/game" --headless --ticks 4
  exits 0 out "$(printf 'parts\t3\t3\t6')" "$(printf 'alone\t3\tfalse')" "$(printf 'rows\t7\t3')"
  fresh
}
it "an entity can have several behaviours, each with its own fields and functions" parts

scheduled() {
  run_for 20 "$release" sql "$tmp/game" "SELECT name FROM systems WHERE name IN ('ear', 'leg') ORDER BY \"order\""
  exits 0
  [ "$(grep -ow 'ear\|leg' out | tr '\n' ' ')" = "leg ear " ] || fail "$(cat out err)"
}
it 'behaviours of an entity run in the order that their `after` fields declare' scheduled

is_exercised() {
  run_for 20 "$release" sql "$tmp/game" --ticks "$ticks" \
    "SELECT 'lost' AS it FROM lost WHERE steps > 100; SELECT 'off' AS it FROM disabled GROUP BY 1;
     SELECT 'poked' AS it FROM leg WHERE pokes > 0 GROUP BY 1"
  exits 0
  for word in lost off poked; do says out "$word"; done
}
it "the test game removes and disables behaviours and sends events to behaviours" is_exercised

it "entities with several behaviours give the same hashes when ticks are re-simulated" again

it "entities with several behaviours give the same hashes in a replay" replayed

it "entities with several behaviours give the same hashes when continued from a save" saved 37 113

it "entities with several behaviours give the same hashes after a rewind and a reload of unchanged files" rewound

# ---- behaviours are saved like components

load_with() { # load_with NAME: saves with the original game and loads with the behaviour NAME from stdin instead of leg
  fresh
  run_for 20 "$release" run "$tmp/game" --headless --ticks 30 --save "$tmp/legs.sqlite"
  exits 0
  rm "$tmp/game/behaviours/leg.lua" "$tmp/game/systems/parts.lua"
  cat >"$tmp/game/behaviours/$1.lua"
  sed -i "s/leg = {}/$1 = {}/" "$tmp/game/assemblages.lua"
  sed -i "s/after = \"leg\"/after = \"$1\"/; s/\"leg\"/\"$1\"/g; s/entity\.leg/entity.$1/" "$tmp/game/behaviours/ear.lua"
  cat >"$tmp/game/systems/shows.lua" <<LUA
return { phase = "post_update", update = function()
  local part = world.find("snail").$1
  if world.tick == 31 then print("after", part.steps, part.more, part:stride(2)) end
end }
LUA
  run_for 20 "$release" run "$tmp/game" --headless --ticks 33 --load "$tmp/legs.sqlite"
  fresh
  exits 0
}

extended() {
  load_with leg <<'LUA'
return { fields = { steps = 0, pokes = 0, more = 5 }, update = function(self) self.steps = self.steps + 1 end,
  create = function() print("created") end,
  stride = function(self, n) return self.steps * n + 1 end }
LUA
  says out "$(printf 'after\t32\t5\t65')"
  ! grep created "$tmp/out" || fail "create was called for behaviours of the save"
}
it "a save loads after a behaviour has gained a field and changed a function" extended

renamed() {
  load_with limb <<'LUA'
return { fields = { steps = 0, pokes = 0, more = 5, renamed_from = "leg" },
  create = function() print("created") end,
  update = function(self) self.steps = self.steps + 1 end, stride = function(self, n) return self.steps * n end }
LUA
  says out "$(printf 'after\t32\t5\t64')"
  ! grep created "$tmp/out" || fail "create was called for behaviours of the save"
}
it "a save loads after a behaviour was renamed" renamed

# ---- Versions of a behaviour: create and destroy run once per entity, and each event is received once. Entities that
# are spawned or destroyed and events that are sent in the tick of a reload are handled after the reload.

# make_version VERSION: 1 has the behaviour guard, 2 adds a field and a function, 3 renames it to sentry, 4 splits sentry
# into walk and sight, 5 moves the fields of guard to the behaviour legs. The game reloads itself every 100 ticks, unless
# the test replaces its folder while it runs ($live): a reload in between would read files of both versions.
make_version() {
  rm -rf "$tmp/next"
  mkdir -p "$tmp/next/behaviours" "$tmp/next/systems"
  cd "$tmp/next" || exit 1
  echo 'return { title = "kin", tests = true, start = function() world.spawn("unit") world.spawn("unit") end }' >game.lua
  echo 'return { poke = { entity = shoal.types.entity } }' >events.lua
  cat >components.lua <<'END'
local t = shoal.types
return { sums = t.single { spawned = t.i32(2), created = t.i32(0), sighted = t.i32(0), killed = t.i32(0), destroyed = t.i32(0),
  sent = t.i32(0), heard = t.i32(0), entered = t.i32(0), left = t.i32(0), off = t.i32(0) } }
END
  names=guard functions='stride = function(self) return self.timer end,' more=
  case $1 in
    2) more='more = 7,' functions='stride = function(self) return self.timer + self.more end,' ;;
    3) names=sentry more='more = 7, renamed_from = "guard",' ;;
    4) names='walk sight' ;;
    5) names=legs ;;
  esac
  case $1 in 4) at=walk ;; *) at=$names ;; esac
  counts='create = function(self) local s = world.single.sums s.created = s.created + 1 s.sighted = s.sighted + 1 self.timer = 5 end,'
  hears='on = { poke = function(self) local s = world.single.sums s.heard = s.heard + 1 self.alert = self.alert + 1 end },'
  dies='destroy = function(self) local s = world.single.sums s.destroyed = s.destroyed + 1
    if self.timer < 5 then print("wrong: destroy reads", self.timer) end end,'
  ticks='update = function(self) self.timer = self.timer + 1 end,'
  case $1 in
    [1-3]) echo "return { fields = { timer = 1, alert = 0, $more }, $counts $dies $ticks $hears $functions }" ;;
    4) echo "return { fields = { timer = 1, renamed_from = { timer = \"sentry.timer\" } },
      create = function(self) local s = world.single.sums s.created = s.created + 1 self.timer = 5 end, $dies $ticks $functions }" ;;
    5) echo "return { fields = { timer = 1, alert = 0, renamed_from = { timer = \"guard.timer\", alert = \"guard.alert\" } },
      $counts $dies $ticks $hears $functions }" ;;
  esac >"behaviours/$at.lua"
  [ "$1" != 4 ] || echo "return { fields = { alert = 0, renamed_from = { alert = \"sentry.alert\" } }, $hears
    create = function(self) local s = world.single.sums s.sighted = s.sighted + 1 end }" >behaviours/sight.lua
  components=$(for name in $names; do printf '%s = {}, ' "$name"; done)
  echo "return { unit = { components = { transform = {}, $components } } }" >assemblages.lua
  cat >systems/hears.lua <<END
return { query = { "$at", "transform" }, enter = function() world.single.sums.entered = world.single.sums.entered + 1 end,
  leave = function(e) world.single.sums.left = world.single.sums.left + 1
    if not (e.$at.timer >= 1) then print("wrong: leave reads", e.$at.timer) end end }
END
  cat >systems/zz.lua <<END
local first, back
return { phase = "post_update", priority = 100, update = function()
  local s, off = world.single.sums, not world.system("$at")
  first = first or world.tick
  if off ~= (s.off == 1) then print("wrong: the switch of $at", off, s.off) end
  if not off then
    for what, of in pairs { created = "spawned", sighted = "spawned", entered = "spawned", destroyed = "killed", left = "killed",
      heard = "sent" } do
      if s[what] ~= s[of] then print("wrong:", $1, world.tick, what, s[what], of, s[of]) end
    end
    local q = world.query { "$at" }
    local e = q.entity[1]
    q.entity[q.count]:send("poke")
    s.sent = s.sent + 1
    if world.tick % 10 == 9 then
      if e.$at:stride() < 5 then print("wrong: stride", e.$at:stride()) end
      e:destroy()
      world.spawn("unit")
      s.spawned, s.killed = s.spawned + 1, s.killed + 1
    end
  end
  if world.tick == back then print("back in $1") end
  if $1 > 2 and world.tick == first + 13 and not back then back = world.tick - 5 world.restore(math.max(0, world.tick - 20)) end
  if world.tick == first + 40 then print("fine in $1", world.count("$at"), off) end
  if world.tick == first + 60 and SWITCH ~= nil then
    world.system("$at", SWITCH)
    s.off = SWITCH and 0 or 1
    print("switched in $1")
  end
  ${live:+--}if world.tick % 100 == 99 and world.tick > (back or 0) then reload() end
end }
END
  sed -i "s/SWITCH/${2:-nil}/g" systems/zz.lua
  cd "$tmp" || exit 1
}
never_wrong() { ! grep -q wrong "$1" || fail "$(grep wrong "$1" | head -n 5)"; }
install() { rm -rf "$tmp/kin" && mv "$tmp/next" "$tmp/kin"; }
reload_as() { # reload_as VERSION [SWITCH]: reloads the running game as this version
  make_version "$@"
  mark_log
  install
  "$release" ask "$port" "reload()" >"$tmp/asked" 2>&1 || { stop_program; fail "$(cat "$tmp/asked")"; }
  wait_for 20 log_has "fine in $1" || { stop_program; fail "$(tail -n 5 "$log")"; }
}

edited_live() {
  trap stop_program EXIT
  live=1
  make_version 1
  install
  launch_cockpit "$release" run kin --headless --ticks 100000000 --no-watch --history 64
  expect_log "fine in 1"
  reload_as 2
  reload_as 3
  log_has "back in 3" || fail "$(tail -n 5 "$log")"
  reload_as 4
  log_has "back in 4" || fail "$(tail -n 5 "$log")"
  never_wrong "$log"
}
it "a behaviour can gain a field, be renamed and be split while it runs, and the game can be rewound across these changes" edited_live

loads_into_versions() {
  for version in 2 3 5; do
    make_version 1
    install
    run_for 20 "$release" run kin --headless --no-watch --ticks 30 --save "$tmp/kin.sqlite"
    exits 0
    make_version "$version"
    install
    run_for 20 "$release" run kin --headless --no-watch --ticks 200 --load "$tmp/kin.sqlite"
    exits 0 out "fine in $version"
    never_wrong out
  done
  make_version 3
  install
  run_for 20 "$release" run kin --headless --no-watch --ticks 30 --save "$tmp/kin.sqlite"
  make_version 4
  install
  run_for 20 "$release" run kin --headless --no-watch --ticks 200 --load "$tmp/kin.sqlite"
  says out "fine in 4"
  never_wrong out
}
it "saves load after behaviours were extended, renamed or split, or after their fields were moved" loads_into_versions

# If world.system has disabled a behaviour, it stays disabled across renames, splits and rewinds.
stays_disabled() {
  trap stop_program EXIT
  live=1
  make_version 1 false
  install
  launch_cockpit "$release" run kin --headless --ticks 100000000 --no-watch
  expect_log "switched in 1"
  reload_as 3
  log_has "$(printf 'fine in 3\t2\ttrue')" || fail "$(tail -n 5 "$log")"
  reload_as 4
  log_has "$(printf 'fine in 4\t2\ttrue')" || fail "$(tail -n 5 "$log")"
  never_wrong "$log"
}
it "a disabled behaviour stays disabled after it is renamed or split" stays_disabled

# ---- end of the game

ends() {
  rm -rf "$tmp/ends"
  mkdir -p "$tmp/ends/behaviours" "$tmp/ends/systems"
  echo 'return { title = "Ends", start = function() for i = 1, 4 do world.spawn(nil, { name = "e" .. i, guard = { t = i } }) end end }' \
    >"$tmp/ends/game.lua"
  echo 'return { fields = { t = 0 }, create = function(self) print("create", self.t) end,
    destroy = function(self) print("destroy", self.entity:name(), self.t) if self.t == 1 then error("no") end
      if self.entity:alive() then self.t = 9 end end }' \
    >"$tmp/ends/behaviours/guard.lua"
  echo "return { after = { \"guard\" }, stop = function() print(\"stop\") end, update = function()
    if world.tick == 1 then world.find(\"e3\"):disable(\"guard\") end
    if world.tick == 3 then world.find(\"e2\"):destroy() world.spawn(nil, { name = \"late\", guard = { t = 5 } })
      if $1 then world.restart() end end end }" >"$tmp/ends/systems/a.lua"
  run_for 20 "$release" run "$tmp/ends" --headless --ticks "$2" --hash --save "$tmp/ends.sqlite"
}
destroyed_at_the_end() {
  ends false 4
  says err "destroy of behaviour guard: behaviours/guard.lua:2: no"
  printf 'create\t%s\n' 1 2 3 4 >"$tmp/expected"
  printf 'destroy\te%s\t%s\n' 1 1 2 2 3 3 4 4 >>"$tmp/expected"
  grep -E '^(create|destroy)' "$tmp/out" | sort | diff - "$tmp/expected" >&2 || fail "unexpected calls"
  says out stop
  run_for 20 "$release" sql "$tmp/ends.sqlite" "SELECT max(t) FROM guard"
  says out 5 # the changes of destroy are discarded
}
it "a behaviour's destroy function is called for all entities of the behaviour when the game ends" destroyed_at_the_end

destroyed_at_restart() {
  ends true 7
  [ "$(grep -c '^destroy.e1' "$tmp/out")" = 2 ] || fail "$(cat "$tmp/out")"
  [ "$(grep -c '^create.1' "$tmp/out")" = 2 ] || fail "$(cat "$tmp/out")"
}
it "a behaviour's destroy function is called when the game restarts" destroyed_at_restart

# ---- errors

unknown_after() {
  fresh
  sed -i 's|after = "leg"|after = "lag"|' "$tmp/game/behaviours/ear.lua"
  run_for 20 "$release" run "$tmp/game" --headless --ticks 1
  exits 1 err "behaviours/ear.lua:2: after: unknown system lag (did you mean leg?)"
  fresh
}
it 'an unknown name in the `after` field of a behaviour is an error that suggests the nearest name' unknown_after
