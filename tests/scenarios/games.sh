# What all games have in common for their players, and the rules of single games: icons, end screens that do not
# disappear under a key that is still pressed, best scores.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# play GAME TICKS LUA: plays a copy of the game without a window; LUA runs in every tick with the local `tick`.
play() {
  rm -rf game data
  cp -r "$root/scripts/games/$1" game
  printf 'return { phase = "input", update = function()\n  local tick = world.tick\n  %s\nend }\n' "$3" \
    >game/systems/zz_stage.lua
  run_for 60 "$release" run game --headless --no-watch --strict --seed 1 --ticks "$2"
  exits 0
}

has_icon() {
  icon=$root/scripts/games/$1/assets/icon.png
  grep -q 'icon = "icon.png"' "$root/scripts/games/$1/game.lua" || fail "game.lua names no icon"
  [ "$(od -An -tx1 -j16 -N8 "$icon" | tr -d ' ')" = 0000008000000080 ] || fail "not a PNG of 128 × 128 pixels"
}
for game in "$root"/scripts/games/*/; do
  it "$(basename "$game") has an icon" has_icon "$(basename "$game")"
done

# The end screen appears at tick 60; its buttons are enabled a second later.
settles() { # settles GAME START: START is the event that begins a game
  play "$1" 140 "
    if tick == 20 then world.emit('$2') elseif tick == 58 then world.emit('go', { to = 'over' }) end
    if tick == 100 or tick == 135 then
      local enabled, disabled = 0, 0
      for e in world.each('button', 'widget') do
        if e.widget.disabled then disabled = disabled + 1 else enabled = enabled + 1 end
      end
      print('buttons', tick, enabled, disabled)
    end"
  says out "buttons	100	0	2"
  says out "buttons	135	2	0"
}
for game in pong=one_player invaders=play tron=one_player rpg_battle=play bounty_hunter=one_player rectangle_eater=play; do
  it "the end screen of ${game%=*} ignores input for a second" settles "${game%=*}" "${game#*=}"
done

master_first() {
  play pong 30 '
    if tick == 10 then world.options() elseif tick == 15 then
      for e in world.each("slider") do print("slider", e.slider.text) end
    end'
  grep '^slider' out | head -n 1 | grep -q Master || fail "$(cat out)"
  says out "slider	Effects"
}
it "the options list the master volume first" master_first
