-- Sounds. Nothing comes back into the simulation: a voice is only good for stopping or changing it.
local need = ...
local abi, report = need("abi"), need("report")
local C, A = abi.C, abi.audio

local M = {}

local function options_of(what, options)
  if options ~= nil and type(options) ~= "table" then
    report.complain("audio.%s takes options, { volume = 1, pan = 0 }, not %s", what, type(options))
  end
  return options or {}
end

function M.play(name, options)
  if type(name) ~= "string" then
    report.complain("audio.play takes the name of a sound, not %s", type(name))
  end
  options = options_of("play", options)
  return C.audio_play(A, name, options.volume or 1, options.pan or 0, options.loop == true)
end

function M.stop(voice)
  C.audio_stop(A, voice or 0)
end

function M.set(voice, options)
  options = options_of("set", options)
  C.audio_set(A, voice or 0, options.volume or 1, options.pan or 0)
end

function M.playing(voice)
  return C.audio_playing(A, voice or 0)
end

function M.music(name, volume, fade_s)
  if name ~= nil and type(name) ~= "string" then
    report.complain("audio.music takes the name of a piece or nothing, not %s", type(name))
  end
  C.audio_music(A, name or "", volume or 1, fade_s or 0.5)
end

function M.volume(master)
  C.audio_set_volume(A, master or 1)
end

return M
