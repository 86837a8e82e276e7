# Several behaviours on one entity (Entities-Parts): each has fields of its own, their order is declared, and rewound,
# saved, replayed and reloaded they are the same.
# needs: release
. "$(dirname "$0")/../lib.sh"
world=several
. "$(dirname "$0")/lib/lived.sh"

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
  exits 0
  says out "$(printf 'parts\t3\t3\t6')"
  says out "$(printf 'alone\t3\tfalse')"
  says out "$(printf 'rows\t7\t3')"
  fresh
}
it "several functional parts on one entity (Entities-Parts)" parts

scheduled() {
  run_for 20 "$release" sql "$tmp/game" "SELECT name FROM systems WHERE name IN ('ear', 'leg') ORDER BY \"order\""
  exits 0
  [ "$(grep -ow 'ear\|leg' out | tr '\n' ' ')" = "leg ear " ] || fail "$(cat out err)"
}
it "the order of an entity's behaviours is declared, and the schedule has it (Entities-Parts)" scheduled

it_happens() {
  run_for 20 "$release" sql "$tmp/game" --ticks "$ticks" \
    "SELECT 'lost' AS it FROM lost WHERE steps > 100; SELECT 'off' AS it FROM disabled GROUP BY 1;
     SELECT 'poked' AS it FROM leg WHERE pokes > 0 GROUP BY 1"
  exits 0
  for word in lost off poked; do says out "$word"; done
}
it "behaviours are removed, disabled and sent events in what follows" it_happens

it "several behaviours: every tick that is lived again comes out the same" again

it "several behaviours: a recording is the same world" replayed

it "several behaviours: a save half way goes on as if nothing had been" saved 37 113

it "several behaviours: a rewind and a reload change nothing" rewound

# ---- a behaviour is saved like any component

edited() { # edited NAME: saved by the game as it is, loaded by the game with the behaviour leg from stdin
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

has_more() {
  edited leg <<'LUA'
return { fields = { steps = 0, pokes = 0, more = 5 }, update = function(self) self.steps = self.steps + 1 end,
  create = function() print("created") end,
  stride = function(self, n) return self.steps * n + 1 end }
LUA
  says out "$(printf 'after\t32\t5\t65')"
  ! grep created "$tmp/out" || fail "create was called for behaviours of the save"
}
it "a save comes into a behaviour with another field and another function" has_more

renamed() {
  edited limb <<'LUA'
return { fields = { steps = 0, pokes = 0, more = 5, renamed_from = "leg" },
  create = function() print("created") end,
  update = function(self) self.steps = self.steps + 1 end, stride = function(self, n) return self.steps * n end }
LUA
  says out "$(printf 'after\t32\t5\t64')"
  ! grep created "$tmp/out" || fail "create was called for behaviours of the save"
}
it "a save comes into a behaviour that has another name" renamed

# ---- what is wrong

misordered() {
  fresh
  sed -i 's|after = "leg"|after = "lag"|' "$tmp/game/behaviours/ear.lua"
  run_for 20 "$release" run "$tmp/game" --headless --ticks 1
  exits 1
  says err "behaviours/ear.lua:2: after: there is no system lag (did you mean leg?)"
  fresh
}
it "an order that names a behaviour that is not there is refused by name" misordered
