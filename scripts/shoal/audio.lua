-- Sounds. Nothing comes back into the simulation: a voice is only good for stopping or changing it. Its number
-- follows from the tick and from how many sounds were played in it, so that a world that keeps it is the same without
-- loudspeakers and when the tick is lived again.
local need = ...
local abi, report, state, wanted = need("abi"), need("report"), need("state"), need("wanted")
local C, A, W = abi.C, abi.audio, abi.world

local TICKS, PLAYS, DRAWN = 2 ^ 20, 1024, 2 ^ 30
-- plays: of this tick; drawn: in the render phase, which the world does not depend on
local tick, plays, drawn = -1, 0, 0

---@class engine.audio: shoal.Audio
local M = {}

local OPTIONS = {
  play = { volume = "number", pan = "number", loop = "boolean" },
  set = { volume = "number", pan = "number" },
}

local function options_of(what, options)
  if options ~= nil and type(options) ~= "table" then
    report.complain("audio.%s takes options, { volume = 1, pan = 0 }, not %s", what, type(options))
  end
  for name, v in pairs(options or {}) do
    local expected = OPTIONS[what][name]
    if not expected then
      report.complain("audio.%s has no option %s%s: there are %s", what, report.plain(name),
        report.aside(name, OPTIONS[what]), report.names(OPTIONS[what]))
    elseif type(v) ~= expected then
      report.complain("audio.%s: %s is a %s, not a %s", what, name, expected, type(v))
    end
  end
  return options or {}
end

local function number(what, name, v)
  if v ~= nil and type(v) ~= "number" then
    report.complain("audio.%s: %s is a number, not a %s", what, name, type(v))
  end
end

local function next_voice()
  if state.rendering then
    drawn = (drawn + 1) % (DRAWN - 1)
    return DRAWN + drawn
  end
  local now = C.view_tick(W)
  if now ~= tick then
    tick, plays = now, 0
  end
  plays = plays % (PLAYS - 1) + 1
  return now % TICKS * PLAYS + plays
end

-- The tick runs a second time.
function M.again()
  tick = -1
end

function M.play(name, options)
  if type(name) ~= "string" then
    report.complain("audio.play takes the name of a sound, not %s", type(name))
  end
  options = options_of("play", options)
  wanted.look(name, "audio.play")
  local voice = next_voice()
  C.audio_play_as(A, voice, name, options.volume or 1, options.pan or 0, options.loop == true)
  return voice
end

function M.stop(voice)
  number("stop", "what audio.play gave", voice)
  C.audio_stop(A, voice or 0)
end

function M.set(voice, options)
  options = options_of("set", options)
  number("set", "what audio.play gave", voice)
  C.audio_set(A, voice or 0, options.volume or 1, options.pan or 0)
end

function M.playing(voice)
  if not state.draws() then
    report.complain("audio.playing works in systems of phase \"render\" only: what the loudspeakers do is no part of "
      .. "the world; a lifetime or world.tick tells when a sound is over")
  end
  number("playing", "what audio.play gave", voice)
  return C.audio_playing(A, voice or 0)
end

function M.music(name, volume, fade_s)
  number("music", "the volume", volume)
  number("music", "the fade", fade_s)
  if name ~= nil and type(name) ~= "string" then
    report.complain("audio.music takes the name of a piece or nothing, not %s", type(name))
  end
  wanted.look(name, "audio.music")
  C.audio_music(A, name or "", volume or 1, fade_s or 0.5)
end

function M.volume(master)
  number("volume", "the volume", master)
  C.audio_set_volume(A, master or 1)
end

return M
