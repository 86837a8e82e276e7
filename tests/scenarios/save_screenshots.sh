# Screenshots of saves: a run with a window stores them next to the save, and games can draw them as image save:NAME.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
export SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy
saves=$XDG_DATA_HOME/shoal/saves/slots

# game: creates a game that is red until tick 20, then blue, and saves to slot "a" at tick 10, and again at tick 30 if
# there is an entity named "again".
game() {
  rm -rf game data
  mkdir -p game/systems
  cat >game/game.lua <<'END'
return { title = "slots", id = "slots", width = 640, height = 360, window = { width = 320, height = 300 } }
END
  cat >game/components.lua <<'END'
return { screen = shoal.types.single { picture = "", tick = 0 } }
END
  cat >game/systems/plays.lua <<'END'
return { update = function()
  if world.tick == 10 or world.tick == 30 and world.find("again") then world.save("a") end
  if world.tick == 12 or world.tick == 32 then
    for _, slot in ipairs(world.saves()) do print(world.tick, slot.name, slot.tick, slot.picture) end
    world.single.screen.picture = world.saves()[1].picture or ""
  end
end }
END
  cat >game/systems/draws.lua <<'END'
return { phase = "render", update = function()
  draw.space "screen"
  draw.colour(world.tick < 20 and "#ff0000" or "#0000ff")
  draw.rect(0, 0, 640, 360)
  draw.colour(1, 1, 1)
  local name = world.single.screen.picture
  if name ~= "" and world.tick > 36 then draw.image(name, 320, 180) end
end }
END
}
run_game() { # run_game [options]
  run_for 60 "$release" run game --no-watch --log info "$@"
}
size_of() { # size_of FILE: prints the size in a PNG's header
  od -An -t u1 -j 16 -N 8 "$1" | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'
}

stores_screenshot() {
  game
  run_game --ticks 14
  exits 0 out "12	a	11	save:a"
  [ "$(size_of "$saves/a.png")" = 320x180 ] || fail "the screenshot is $(size_of "$saves/a.png")"
}
it "a save of a game with a window stores a small screenshot without letterbox bars" stores_screenshot

headless() {
  game
  run_game --headless --ticks 14
  exits 0 out "12	a	11	nil"
  [ ! -e "$saves/a.png" ] || fail "a screenshot was written"
}
it "a headless run stores no screenshot" headless

in_replay() {
  game
  run_game --ticks 14 --record a.replay
  exits 0
  rm -r data
  run_game --replay a.replay
  exits 0 out "12	a	11	save:a"
  [ ! -e "$saves/a.png" ] || fail "a screenshot was written"
}
it "a replay stores no screenshot but lists the recorded screenshot" in_replay

overwritten_headless() {
  game
  run_game --ticks 14
  run_game --headless --ticks 14
  exits 0 out "12	a	11	nil"
}
it "a save without a screenshot deletes the screenshot of the save that it replaces" overwritten_headless

drawn() {
  game
  run_game --ticks 50 --screenshot red.png
  exits 0
  rm -rf red.txt
  magick red.png -crop 1x1+160+150 txt:- >red.txt 2>/dev/null || convert red.png -crop 1x1+160+150 txt:- >red.txt
  grep -qi '#FF0000\|#FE0000' red.txt || fail "the screenshot is not drawn: $(cat red.txt)"
}
it "a save's screenshot can be drawn as an image" drawn

updated() {
  game
  echo 'return { start = function() world.spawn(nil, { name = "again" }) end, update = function() end }' \
    >game/systems/again.lua
  run_game --ticks 50 --screenshot blue.png
  exits 0 out "32	a	31	save:a"
  magick blue.png -crop 1x1+160+150 txt:- >blue.txt 2>/dev/null || convert blue.png -crop 1x1+160+150 txt:- >blue.txt
  grep -qi '#0000FF\|#0000FE' blue.txt || fail "the old screenshot is drawn: $(cat blue.txt)"
}
it "saving to a slot again updates the slot's screenshot" updated

deleted() {
  game
  run_game --ticks 14
  echo 'return { update = function() if world.tick == 2 then world.delete_save("a") end end }' >game/systems/drops.lua
  rm game/systems/plays.lua
  run_game --headless --ticks 4
  exits 0
  [ ! -e "$saves/a.png" ] && [ ! -e "$saves/a.sqlite" ] || fail "still in the folder: $(ls "$saves")"
}
it "deleting a save also deletes its screenshot" deleted

invalid_names() {
  game
  cat >game/systems/plays.lua <<'END'
return { phase = "render", update = function()
  draw.image("save:../game/secret", 0, 0)
  draw.image("save:nothing", 0, 0)
end }
END
  run_game --ticks 3
  says err "save:nothing: the screenshot of this save was not found"
  says err "save:../game/secret: the screenshot of this save was not found"
}
it "drawing an invalid or missing screenshot is an error" invalid_names
