# The mixed sound output: SDL writes it to a file, and the tests analyse the file's samples.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf games data
mkdir -p games assets

# Creates the sound files: tones of 441 and 1764 Hz, on one or both channels, with valid, invalid or no loop points.
luajit - assets <<'END'
local folder = arg[1]
local function le(n, v)
  local out = {}
  for i = 1, n do out[i] = string.char(v % 256) v = math.floor(v / 256) end
  return table.concat(out)
end
-- A sine wave of `hz`, or of two frequencies, 0.2 seconds each.
local function write(name, seconds, hz, loop, left, right)
  local samples = {}
  for i = 1, seconds * 44100 do
    local height = type(hz) == "table" and (i <= 8820 and hz[1] or hz[2]) or hz
    local v = math.sin(i * height / 44100 * 2 * math.pi) * 8000
    samples[i] = le(2, v * (left or 1) % 65536) .. le(2, v * (right or 1) % 65536)
  end
  local data = table.concat(samples)
  local smpl = loop and "smpl" .. le(4, 60) .. le(28, 0) .. le(4, 1) .. le(12, 0) .. le(4, loop[1]) .. le(4, loop[2]) .. le(8, 0) or ""
  local body = "WAVEfmt " .. le(4, 16) .. le(2, 1) .. le(2, 2) .. le(4, 44100) .. le(4, 176400) .. le(2, 4) .. le(2, 16)
    .. "data" .. le(4, #data) .. data .. smpl
  local file = io.open(folder .. "/" .. name, "wb")
  file:write("RIFF" .. le(4, #body) .. body)
  file:close()
end
write("tone.wav", 0.4, 441)
write("step_1.wav", 0.1, 441)
write("step_2.wav", 0.1, 1764)
write("lost.wav", 0.1, 441, { 100, 999999 })
write("intro.wav", 0.4, { 441, 1764 }, { 8820, 17639 })
write("left.wav", 0.4, 441, nil, 1, 0)
write("right.wav", 0.4, 441, nil, 0, 1)
END

# game NAME "FIELDS": creates a game with these additional fields in game.lua, whose system on stdin plays sounds.
game() {
  mkdir -p "games/$1/systems"
  cp -r "$tmp/assets" "games/$1/assets"
  echo "return { title = 'Heard', width = 640, height = 360, tick_rate = 60, $2 }" >"games/$1/game.lua"
  cat >"games/$1/systems/plays.lua"
}
# listen NAME: runs the game and analyses its output. NAME.heard gets a line for each 1/20 s since the first sound: left
# peak, right peak, frequency in Hz.
listen() {
  SDL_AUDIODRIVER=disk SDL_DISKAUDIOFILE=$tmp/$1.raw SDL_VIDEODRIVER=offscreen \
    timeout -k 2 $((6 * SLOW)) "$release" run "games/$1" --no-watch --ticks 90 >"$1.out" 2>"$1.err" </dev/null
  luajit - "$tmp/$1.raw" >"$1.heard" 2>"$1.why" <<'END'
local bytes = io.open(arg[1], "rb"):read("*a")
local function at(i) -- 16 bits from byte i
  local low, high = bytes:byte(i, i + 1)
  local v = low + high * 256
  return v < 32768 and v or v - 65536
end
local first = bytes:find("[^%z]")
assert(first, "nothing was heard")
first = first - (first - 1) % 4
for from = first, #bytes - 4 * 2205, 4 * 2205 do
  local left, right, crossings, last = 0, 0, 0, 0
  for i = from, from + 4 * 2204, 4 do
    local l, r = at(i), at(i + 2)
    left, right = math.max(left, math.abs(l)), math.max(right, math.abs(r))
    local loud = left > right and l or r
    if last ~= 0 and loud ~= 0 and (loud > 0) ~= (last > 0) then crossings = crossings + 1 end
    last = loud ~= 0 and loud or last
  end
  print(left, right, crossings * 10)
end
END
}
# has_levels NAME 'CONDITION'…: conditions on l, r and hz that must hold in this order, each in some line.
has_levels() {
  name=$1
  shift
  line=1
  for condition; do
    line=$(awk "NR >= $line { l = \$1; r = \$2; hz = \$3; if ($condition) { print NR; exit } }" "$name.heard")
    [ -n "$line" ] || fail "$condition: $(tr '\n' ';' <"$name.heard") $(cat "$name.why" "$name.err")"
  done
}

# retry_recording NAME CHECK…: repeats the recording up to four times if a check fails, because sound continues while a
# busy machine delays the game.
retry_recording() {
  name=$1
  shift
  for _ in 1 2 3 4; do
    ! ("$@") >/dev/null || return 0
    listen "$name"
  done
  "$@"
}

game sides "" <<'END'
return { update = function()
  if world.tick == 5 then audio.play("tone.wav", { pan = -1, pitch = 2 }) end
  if world.tick == 40 then audio.play("tone.wav", { pan = 1, pitch = 0.5, volume = 0.5 }) end
end }
END
game fades "" <<'END'
return { update = function()
  if world.tick == 5 then world.spawn("hum", { name = "hum", sound = { fade_in = 0.5, fade_out = 0.5 } }) end
  if world.tick == 45 then world.find("hum"):destroy() end
end }
END
echo 'return { hum = { components = { sound = { file = "tone.wav", loop = true } } } }' >games/fades/assemblages.lua
game places "" <<'END'
return { update = function()
  local function at(x) audio.play("tone.wav", { x = x, y = 180, range = 320, within = 100 }) end
  if world.tick == 5 then at(320) end
  if world.tick == 35 then at(480) end
  if world.tick == 62 then world.spawn(nil, { transform = { x = 900, y = 180 }, camera = {} }) end
  if world.tick == 65 then at(740) end
end }
END
game ducks 'buses = { speech = 1, hum = { under = "speech", duck = 0.25, attack = 0.02, release = 0.02 } }' <<'END'
return { update = function()
  if world.tick == 5 then audio.play("tone.wav", { bus = "hum", loop = true, pan = -1 }) end
  if world.tick == 20 then audio.play("tone.wav", { bus = "speech", pan = 1 }) end
  if world.tick == 70 then audio.volume("hum", 0) end
end }
END
game chosen "" <<'END'
return { update = function()
  if world.tick == 5 then audio.play("tone.wav", { loop = true }) end
  if world.tick == 30 then settings.effects = 0.5 end
  if world.tick == 50 then settings.master = 0.5 end
end }
END
echo 'return { effects = 1, master = 1 }' >games/chosen/settings.lua
game varies "" <<'END'
return { update = function()
  if world.tick % 15 == 5 then audio.play("step") end
end }
END
game wrong "" <<'END'
return { update = function()
  if world.tick == 2 then audio.play("nothing") audio.play("lost.wav", { loop = true }) end
  if world.tick == 3 then world.spawn(nil, { sound = { file = "tone.wav", bus = "efects", pitch = 0 } }) end
end }
END
game crossfades "start = function() music.play('left', { fade = 0 }) end" <<'END'
return { update = function()
  if world.tick == 35 then music.play("right", { fade = 0.5 }) end
end }
END
echo 'return { left = "left.wav", right = "right.wav" }' >games/crossfades/music.lua
game loops "" <<'END'
return { update = function()
  if world.tick == 5 then audio.play("intro.wav", { loop = true }) end
end }
END
game layers "" <<'END'
return { update = function()
  if world.tick == 2 then music.play("two", { fade = 0 }) end
  if world.tick == 10 then music.section("right", { fade = 0 }) end -- the bar ends in tick 62
  if world.tick == 77 then music.section("far", { at = "now", fade = 0 }) end
end }
END
cat >games/layers/music.lua <<'END'
return { two = { tempo = 240, layers = { l = "left.wav", r = "right.wav" }, first = "left", sections = {
  left = { layers = { "l" } }, right = { layers = { "r" } }, far = { layers = { "r" }, lowpass = 60 } } } }
END
out_of_range() {
  game loud <<'END'
return { update = function() audio.play("tone.wav", { volume = 50 }) end }
END
  run_for 20 "$release" run games/loud --headless --no-watch --ticks 5
  exits 0
  [ "$(grep -c "audio.play: volume must be from 0 to 1, got 50" "$tmp/err")" = 1 ] || fail "$(cat "$tmp/err")"
}
it "an out-of-range volume is reported once" out_of_range
for name in layers sides fades places ducks chosen varies wrong crossfades loops; do
  listen "$name" &
done
wait

it "a sound plays with the requested pan, pitch and volume" \
  retry_recording sides has_levels sides 'l > 7000 && r == 0 && hz > 850 && hz < 920' 'l == 0 && r > 3500 && r < 4200 && hz > 180 && hz < 260'
it "a sound component fades in, and fades out when its entity is destroyed" \
  retry_recording fades has_levels fades 'l < 2000' 'l > 2500 && l < 5500' 'l == 8000' 'l > 2500 && l < 5500' 'l == 0'
it "a positional sound is relative to the camera, or to the screen's centre if there is no camera" \
  retry_recording places has_levels places 'l == 8000 && r == 8000' 'r > 2000 && l < 1000' 'l > 2000 && r < 1000'
it "a custom bus has a volume and is ducked while a different bus plays" \
  retry_recording ducks has_levels ducks 'l == 8000 && r == 0' 'l > 1900 && l < 2100 && r == 8000' 'l == 8000 && r == 0' 'l == 0'
it "a setting named like a bus sets the volume of that bus" \
  retry_recording chosen has_levels chosen 'l == 8000' 'l > 3900 && l < 4100' 'l > 1900 && l < 2100'

it "music crossfades between tracks" \
  retry_recording crossfades has_levels crossfades 'l == 8000 && r == 0' 'l > 1500 && l < 6500 && r > 1500 && r < 6500' 'l == 0 && r == 8000'

it "a section of layered music starts at the next bar, and its low-pass filter is applied" \
  retry_recording layers has_levels layers 'l == 8000 && r == 0' 'l == 0 && r == 8000' 'l == 0 && r > 100 && r < 3000'

loops() {
  has_levels loops 'hz > 400 && hz < 480' 'hz > 1700'
  awk '$1 > 0 && NR > 6 && $3 < 1700 { exit 1 } END { if (NR < 14) exit 1 }' loops.heard ||
    fail "the beginning was repeated: $(tr '\n' ';' <loops.heard)"
}
it "a file with loop points plays its intro only once" retry_recording loops loops

# At each silence, decides which of the two files has just played.
no_repeats() {
  has_levels varies 'l > 7000' 'l == 0' 'l > 7000' 'l == 0'
  awk '$1 > 8100 { both = 1 } # two sounds overlap on a slow machine
    $1 == 0 { if (both) now = last = 0; else if (now && now == last) bad = 1; if (now) last = now; now = both = 0 }
    $3 > 1600 { now = 1 } $3 > 380 && $3 < 500 { now = 2 } END { exit bad }' varies.heard ||
    fail "the same file played twice in a row: $(tr '\n' ';' <varies.heard)"
}
it "a name without an extension plays random variants, never the same variant twice in a row" retry_recording varies no_repeats

reports_once() {
  has_levels wrong 'l > 5000'
  for message in "systems/plays.lua:2: audio.play: nothing: not found: expected a file nothing.wav or nothing_1.wav" \
    "lost.wav: the loop points are outside the file: looping the whole sound" \
    "unknown bus efects, using effects: did you mean effects?" "must be from 0.05 to 20, got 0"; do
    [ "$(grep -cF "$message" wrong.err)" = 1 ] || fail "'$message' not reported once: $(cat wrong.err)"
  done
}
it "invalid names, buses, pitches and loop points are each reported once, and playable sounds still play" retry_recording wrong reports_once
