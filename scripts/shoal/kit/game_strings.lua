-- Localized strings of a game: strings/en.lua, strings/ja.lua return tables from keys to strings. The strings are
-- loaded with the game's code, checked, and passed to text/game_strings.h. tr returns the string of a key in the
-- language of the setting `language`; tr.key returns a reference, which is resolved whenever it is drawn or measured.
local need, native = ...
local abi = need("base/abi")
local json = need("base/json")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local state = need("base/vm_state")
local ui_strings = need("kit/ui_strings")
local components = need("schema/component")
local declared_values = need("world/declared_values")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.game_strings
---@field has_texts boolean true if the game has localized strings
---@field languages string[] the first language is the fallback for strings that are missing in the other languages
local M = { has_texts = false, languages = {} }
local FOLDER = "strings"
local FORMS = { other = 0, zero = 1, one = 2, two = 3, few = 4, many = 5 } -- plural forms → values of plural_t
local FORM_NAMES = {} -- value of plural_t → name of the form
for name, number in pairs(FORMS) do
  FORM_NAMES[number] = name
end
local MAX_TEXTS, MAX_BYTES, MAX_DEPTH, MAX_LANGUAGES, MAX_KEY = 65536, 16777216, 16, 64, 190
local MAX_WARNINGS = 8 -- maximum number of warnings logged per file
local texts = {} -- language → key → { form → text }
local files = {} -- language → engine.At

local function get_file(language)
  return FOLDER .. "/" .. language .. ".lua"
end

local function get_last_name(key)
  return key:match("[^.]+$")
end

-- Returns the line of a key such as "menu.start", which a file may write as one string or as nested tables.
local function find_line(at, key)
  if at.text:find(key, 1, true) then
    return report.find_line(at.text, key)
  end
  local names = {}
  for name in key:gmatch("[^.]+") do
    names[#names + 1] = name
  end
  return report.find_line(at.text, unpack(names))
end

-- --- reading

local function is_plural(t)
  for name in next, t do
    if not FORMS[name] then
      return false
    end
  end
  return next(t) ~= nil
end

-- Returns the forms that a language uses for whole numbers, fractions and millions: { one = true, other = true }.
local function collect_forms(language)
  local out = {}
  for n = 0, 200 do
    out[FORM_NAMES[C.plural_choose(language, tostring(n))]] = true
  end
  for _, n in ipairs { "0.0", "0.1", "0.5", "1.0", "1.5", "2.0", "1000000", "2000000" } do
    out[FORM_NAMES[C.plural_choose(language, n)]] = true
  end
  return out
end

local add_text

local function add_table(out, t, key, depth)
  if depth > MAX_DEPTH then
    out.fail(key, "%s is nested too deeply (at most %d tables)", key, MAX_DEPTH)
  elseif key ~= "" and is_plural(t) then
    if t.other == nil then
      out.fail(key, "%s: the plural form `other` is missing: add other = \"…\", or rename the key%s %s if the strings "
        .. "are not plural forms (%s has the forms %s)", key, next(t, next(t)) and "s" or "", report.join_names(t),
        out.language, report.join_names(collect_forms(out.language)))
    end
    for _, form in ipairs(sorted_keys(t)) do
      add_text(out, t[form], key, depth + 1, form)
    end
    return
  end
  local names = sorted_keys(t)
  for _, name in ipairs(names) do
    if type(name) ~= "number" and (type(name) ~= "string" or not name:find("^[%w_%-][%w_%-%.]*$")) then
      out.fail(name, "invalid key %s: use letters, digits, _, - and dots, as in menu.start", report.show(name))
    end
    add_text(out, t[name], (key ~= "" and key .. "." or "") .. tostring(name), depth + 1)
  end
end

function add_text(out, v, key, depth, form)
  if type(v) == "table" and not form then
    return add_table(out, v, key, depth)
  elseif type(v) ~= "string" then
    out.fail(key, "%s must be a string, got %s%s", key, report.describe(v),
      type(v) == "number" and string.format(": use \"%s\"", report.show(v)) or "")
  elseif #key > MAX_KEY then
    out.fail(key, "the key is too long: %d bytes (at most %d)", #key, MAX_KEY)
  elseif v:find("\0", 1, true) then
    out.fail(key, "%s contains a zero byte: remove it", key)
  end
  local entry = out.texts[key]
  if entry and (not form or entry[form] or entry.is_text) then
    out.fail(get_last_name(key), "two strings are named %s: remove one of them", key)
  elseif not entry then
    entry = { is_text = not form or nil }
    out.texts[key], out.count = entry, out.count + 1
  end
  entry[form or "other"] = v
  out.bytes = out.bytes + #v
  if out.count > MAX_TEXTS then
    out.fail(nil, "too many strings (at most %d per language)", MAX_TEXTS)
  elseif out.bytes > MAX_BYTES then
    out.fail(nil, "the strings are too long (at most %d MB per language)", MAX_BYTES / 1048576)
  end
end

-- Converts the value that a file returns to a table of strings by key. Throws if a string or key is invalid.
local function read_texts(result, source, language)
  local out = { texts = {}, count = 0, bytes = 0, language = language }
  function out.fail(key, format, ...)
    report.fail { message = string.format(format, ...), file = source.file, piece = source.file,
      line = key and key ~= "" and find_line(source, report.show(key)) or 1 }
  end
  if type(result) ~= "table" then
    out.fail(nil, "the file must return a table of strings: return { start = \"Start\" }")
  end
  add_table(out, result, "", 1)
  return out.texts
end

-- Adds the languages of a strings folder.
local function add_languages(folder)
  for _, file_name in ipairs(native.sources(folder)) do
    local language = file_name:match("^(%a[%w_%-]*)%.lua$")
    if not language or #language > 30 then
      report.fail { message = "a file in strings/ must be named after its language: strings/en.lua, strings/pt_BR.lua",
        file = folder .. "/" .. file_name, line = 1, piece = folder .. "/" .. file_name }
    end
    if not texts[language] then
      texts[language], files[language] = {}, { file = get_file(language), text = "" }
      M.languages[#M.languages + 1] = language
    end
  end
end

-- Adds all languages of Shoal's own strings, for the lobby.
local function add_languages_of_engine()
  for _, language in ipairs(sorted_keys(ui_strings.strings)) do
    texts[language], files[language] = {}, { file = get_file(language), text = "" }
    M.languages[#M.languages + 1] = language
  end
end

-- Adds the add-ons' strings for one language. The game's strings take precedence: it replaces the string `title` of the
-- add-on `menu` with menu = { title = … }.
local function add_texts_of_addons(language, run_file, has_file)
  for _, addon in ipairs(scope.list) do
    local file = addon.root .. get_file(language)
    local addon_texts = {}
    if has_file(file) then
      local result, source = run_file(file)
      addon_texts = read_texts(result, source, language)
    end
    for key, forms in pairs(addon_texts) do
      scope.declare(addon, "text", key)
      local full_name = addon.prefix .. key
      texts[language][full_name] = texts[language][full_name] or forms
    end
  end
end

-- Loads all files in strings/ by calling run_file(file). Must be called before the game's other files are loaded,
-- because they may call tr. If the game has its own strings, add-ons cannot add languages.
---@param run_file fun(file: string): any, engine.At
---@param has_file fun(file: string): boolean
function M.load(run_file, has_file)
  add_languages(FOLDER)
  local has_game_texts = #M.languages > 0
  if native.lobby then
    add_languages_of_engine()
  end
  for _, addon in ipairs(has_game_texts and {} or scope.list) do
    add_languages(addon.root .. FOLDER)
  end
  M.has_texts = #M.languages > 0
  if #M.languages > MAX_LANGUAGES then
    report.fail { message = string.format("too many languages: %d (at most %d): remove files from strings/",
      #M.languages, MAX_LANGUAGES),
      file = get_file(M.languages[MAX_LANGUAGES + 1]), line = 1, piece = FOLDER }
  end
  M.move_to_front(texts.en and "en" or M.languages[1])
  for _, language in ipairs(M.languages) do
    if has_game_texts then
      local result
      result, files[language] = run_file(get_file(language))
      texts[language] = read_texts(result, files[language], language)
    end
    add_texts_of_addons(language, run_file, has_file)
  end
end

-- Moves the language `preferred` to the front of M.languages; does nothing if it is nil or unknown. Called with
-- English, if present, when the files are loaded, and then with the first choice of the setting `language`.
---@param preferred string?
function M.move_to_front(preferred)
  for i, language in ipairs(M.languages) do
    if language == preferred then
      table.insert(M.languages, 1, table.remove(M.languages, i))
    end
  end
end

-- --- warnings

local function collect_names(forms)
  local out = {}
  for form, text in pairs(forms) do
    for name in (form == "is_text" and "" or text):gsub("{{", ""):gmatch("{([%w_]+)}") do
      out[name] = true
    end
  end
  return out
end

local function format_placeholders(names)
  local out = {}
  for _, name in ipairs(sorted_keys(names)) do
    out[#out + 1] = "{" .. name .. "}"
  end
  return #out > 0 and table.concat(out, ", ") or "none"
end

local function is_subset(a, b)
  for name in pairs(a) do
    if not b[name] then
      return false
    end
  end
  return true
end

-- Logs the first MAX_WARNINGS warnings, with their lines, and the number of omitted warnings, unless the previous load
-- has logged the same warnings.
local function log_findings(language, warnings)
  local messages = {}
  for i, item in ipairs(warnings) do
    messages[i] = item.message
  end
  if not native.is_new_notice(get_file(language), table.concat(messages, "\n")) then
    return
  end
  for i, item in ipairs(warnings) do
    if i > MAX_WARNINGS then
      native.log("warn", string.format("%s:%d: %d more problem%s not listed", get_file(language), item.line,
        #warnings - MAX_WARNINGS, #warnings - MAX_WARNINGS == 1 and " is" or "s are"))
      return
    end
    native.log("warn", string.format("%s:%d: %s", get_file(language), item.line, item.message))
  end
end

-- Returns the plural forms that the language uses for the integers from 0 to 200, each with the smallest integer that
-- uses it. Forms that a language uses only for fractions or millions are not included.
local function find_integer_forms(language)
  local out = {}
  for n = 200, 0, -1 do
    out[FORM_NAMES[C.plural_choose(language, tostring(n))]] = n
  end
  return out
end

-- Reports the plural forms of a string that its language never uses, such as `two` in English.
local function check_unused_forms(language, key, warnings)
  local used_forms, unused_forms, count = collect_forms(language), {}, 0
  for form in pairs(texts[language][key]) do
    if FORMS[form] and not used_forms[form] then
      unused_forms[form], count = true, count + 1
    end
  end
  if count > 0 then
    warnings[#warnings + 1] = { line = find_line(files[language], key), message = string.format(
      "%s: the plural form%s %s %s not used in language %s, which has the forms %s: delete %s", key,
      count > 1 and "s" or "", report.join_names(unused_forms), count > 1 and "are" or "is", language,
      report.join_names(used_forms), count > 1 and "them, or rename the keys" or "it, or rename the key") }
  end
end

local function check_plurals(language, warnings)
  local required_forms
  for _, key in ipairs(sorted_keys(texts[language])) do
    local forms = texts[language][key]
    if not forms.is_text then
      if not required_forms and not C.plural_has_rules(language) then
        warnings[#warnings + 1] = { line = find_line(files[language], key), message = string.format(
          "no plural rules for language %s: using the English rules", language) }
      end
      required_forms = required_forms or find_integer_forms(language)
      check_unused_forms(language, key, warnings)
      for _, form in ipairs(sorted_keys(required_forms)) do
        if not forms[form] then
          warnings[#warnings + 1] = { line = find_line(files[language], key), message = string.format(
            "%s: the plural form %s, used for %d, is missing: using the form other", key, form, required_forms[form]) }
        end
      end
    end
  end
end

local function check_against(language, reference_language, warnings)
  local missing, extra = {}, {}
  local entries, reference_entries = texts[language], texts[reference_language]
  for _, key in ipairs(sorted_keys(entries)) do
    if not reference_entries[key] then
      extra[#extra + 1] = not key:find("^shoal%.") and key or nil
    elseif not (is_subset(collect_names(entries[key]), collect_names(reference_entries[key]))
      and is_subset(collect_names(reference_entries[key]),
      collect_names(entries[key]))) then
      warnings[#warnings + 1] = { line = find_line(files[language], key), message = string.format(
        "%s has the placeholders %s, but %s has %s: use the same in both", key,
        format_placeholders(collect_names(entries[key])),
        get_file(reference_language), format_placeholders(collect_names(reference_entries[key]))) }
    end
  end
  for _, key in ipairs(sorted_keys(reference_entries)) do
    missing[#missing + 1] = not entries[key] and not key:find("^shoal%.") and key or nil
  end
  for _, key in ipairs(extra) do
    warnings[#warnings + 1] = { line = find_line(files[language], key), message = string.format("%s has no text %s%s",
      get_file(reference_language), key, report.hint(key, missing)) }
  end
  if #missing > 0 then
    local nearest = report.find_nearest(missing[1], extra)
    warnings[#warnings + 1] = { line = 1, message =
      string.format("missing strings (%d of %d), replaced with the strings of %s: %s%s%s",
      #missing, #sorted_keys(reference_entries), get_file(reference_language),
      table.concat(missing, ", ", 1, math.min(#missing, MAX_WARNINGS)),
      #missing > MAX_WARNINGS and ", …" or "", nearest and " (misspelled as " .. nearest .. "?)" or "") }
  end
end

local function check_languages()
  for i, language in ipairs(M.languages) do
    local warnings = {}
    check_plurals(language, warnings)
    if i > 1 then
      check_against(language, M.languages[1], warnings)
    end
    log_findings(language, warnings)
  end
end

-- --- Shoal's own strings

-- Adds Shoal's strings for the options screen, except those that the game replaces. The first language always gets all
-- strings, in English if there is no translation.
local function add_engine_texts(language, is_first)
  local strings_by_language = ui_strings.strings
  local translations = strings_by_language[language] or strings_by_language[language:match("^%a+")] or is_first
    and strings_by_language.en or {}
  for key, text in pairs(is_first and strings_by_language.en or translations) do
    text = translations[key] or text
    key = "shoal." .. key
    texts[language][key] = texts[language][key] or { other = text, is_text = true }
  end
end

-- Returns the native name of a language: "日本語".
---@param language string
---@return string
function M.get_language_name(language)
  local own_name = texts[language] and texts[language]["shoal.language_name"]
  local names = ui_strings.names
  return own_name and own_name.other or names[language] or names[language:match("^%a+")] or language
end

-- --- passing strings to C

-- Checks all strings and passes them to C. Called when settings.lua has been read. `choices`: the choices of the
-- setting `language`, or nil if the game does not declare this setting. `fail_field` throws an error with the setting's
-- location.
---@param choices string[]?
---@param fail_field fun(format: string, ...)
function M.check_and_add_texts(choices, fail_field)
  if not M.has_texts then
    return
  end
  for _, choice in ipairs(choices or {}) do
    if not texts[choice] then
      fail_field("the language %s has no strings: %s not found%s", choice, get_file(choice),
        report.hint(choice, M.languages))
    end
  end
  M.move_to_front(choices and choices[1])
  if not native.is_silent then
    check_languages()
  end
  C.ui_strings_begin(W)
  for i, language in ipairs(M.languages) do
    add_engine_texts(language, i == 1)
    for _, key in ipairs(sorted_keys(texts[language])) do
      for form, number in pairs(FORMS) do
        local text = texts[language][key][form]
        if text then
          C.ui_add_string(W, language, key, number, text)
        end
      end
    end
  end
end

-- Returns the game's language that best matches a list of locales in order of preference, "pt_BR,en_GB"; nil if no
-- locale matches a language.
---@param locales string
---@return string?
function M.choose_language_of_locales(locales)
  for locale in locales:lower():gsub("-", "_"):gmatch("[^,]+") do
    local base_match
    for _, language in ipairs(M.languages) do
      local name = language:lower():gsub("-", "_")
      if name == locale then
        return language
      elseif not base_match and name:match("^%a+") == locale:match("^%a+") then
        base_match = language
      end
    end
    if base_match then
      return base_match
    end
  end
end

-- --- functions for scripts

local warned_keys = {} -- keys that warn_of_unknown_key has reported

local function has_key(key)
  for _, language in ipairs(M.languages) do
    if texts[language][key] then
      return true
    end
  end
  return false
end

function declared_values.find_missing_text(key)
  if M.has_texts and not has_key(key) then
    return string.format("%s has no text %s%s", get_file(M.languages[1]), key,
      report.hint(key, texts[M.languages[1]]))
  end
end

-- Warns about a key that no language has, once per key, with the location of the script's call.
local function warn_of_unknown_key(key)
  if warned_keys[key] then
    return
  end
  warned_keys[key] = true
  local level, frame = 3, debug.getinfo(3, "Sl")
  while frame and frame.source:find("[shoal]", 1, true) do
    level = level + 1
    frame = debug.getinfo(level, "Sl")
  end
  local location = frame and frame.currentline > 0 and string.format("%s:%d: ", frame.source:gsub("^@", ""),
    frame.currentline) or ""
  native.log("warn", string.format("%s%s has no text %s%s", location, get_file(M.languages[1]), key,
    report.hint(key, texts[M.languages[1]])))
end

local function check_arguments(name, key, values)
  if type(key) ~= "string" then
    report.raise("%s: the key of a text must be a string, got %s: use %s \"menu.start\"", name, report.describe(key),
      name)
  elseif values ~= nil and type(values) ~= "table" then
    report.raise("%s: the values for the names in braces must be a table, got %s: use %s(\"%s\", { n = 3 })", name,
      report.describe(values), name, key)
  elseif not M.has_texts then
    report.raise("%s: the game has no strings: create strings/en.lua with return { start = \"Start\" }", name)
  end
  for value_name, v in next, values or {} do
    if type(value_name) ~= "string" or type(v) ~= "string" and type(v) ~= "number" then
      report.raise("%s(\"%s\"): the value %s must have a name and be a string or number, got %s", name, key,
        report.show(value_name), report.describe(v))
    end
  end
end

-- Returns the reference to a string, which is resolved when the string is drawn: "@menu.lives {"n":3}".
local function format_reference(key, values)
  if values == nil or next(values) == nil then
    return "@" .. key
  end
  local formatted = {}
  for name, v in next, values do
    formatted[name] = type(v) == "number" and (v - v ~= 0 and report.show(v) or v % 1 ~= 0
      and string.format("%.14g", v))
      or v
  end
  return "@" .. key .. " " .. json.encode(formatted)
end

---@param key any
---@param values any
---@return string
function M.key(key, values)
  key = scope.name("text", key)
  check_arguments("tr.key", key, values)
  if not has_key(key) then
    warn_of_unknown_key(key)
  end
  return format_reference(key, values)
end

---@param key any
---@param values any
---@return string
function M.tr(key, values)
  key = scope.name("text", key)
  check_arguments("tr", key, values)
  if not has_key(key) then
    warn_of_unknown_key(key)
    return key
  elseif state.loading then -- the language is not known yet: the reference is resolved when it is drawn
    return format_reference(key, values)
  end
  return ffi.string(C.ui_resolve_string(W, format_reference(key, values)))
end

---@return string
function M.language()
  local component = components.by_name.settings
  local selected = component and component.by_name.language and not state.loading
    and components.single.settings.language
  return texts[selected] and selected or M.languages[1] or ""
end

local function list_languages()
  local out = {}
  for i, language in ipairs(M.languages) do
    out[i] = { id = language, name = M.get_language_name(language) }
  end
  return out
end

local function get_language()
  phases.check("tr.language")
  return M.language()
end

local functions = { key = M.key, language = get_language, languages = list_languages }
phases.require_rows("tr.", functions)

M.api = setmetatable({}, {
  __call = function(_, key, values)
    phases.check("tr")
    return M.tr(key, values)
  end,
  __index = function(_, name)
    if not functions[name] then
      report.raise("tr has no %s%s", report.show(name), report.hint(name, functions))
    end
    return functions[name]
  end,
  __newindex = function(_, name)
    report.raise("tr.%s cannot be assigned: declare strings in strings/", report.show(name))
  end,
  __metatable = false,
})
report.tables[M.api] = "tr"

-- --- strings of the engine's own screens

---@param key string
---@param values table<string, any>?
local function resolve_in_english(key, values)
  return (ui_strings.strings.en[key]:gsub("{([%w_]+)}", function(name)
    local value = tostring(values and values[name])
    local nested = ui_strings.strings.en[value:match("^@shoal%.([%w_]+)$")]
    return nested or value
  end))
end

-- Returns one of Shoal's strings: a reference, which follows the language, if the game has localized strings; otherwise
-- the English string.
---@param key string a key in scripts/shoal/kit/ui_strings.lua
---@param values table<string, string|number>?
---@return string
function M.resolve(key, values)
  if M.has_texts then
    return format_reference("shoal." .. key, values)
  end
  return resolve_in_english(key, values)
end

-- Like M.resolve, for calls from C (vm_format_string): the placeholders are passed as names and values, of which a
-- value may be a reference. If `is_english` is true, returns the English string instead of a reference.
---@param key string
---@param is_english boolean
---@param ... string names and values of placeholders
---@return string
function M.format(key, is_english, ...)
  local arguments, values = { ... }, {}
  for i = 1, #arguments, 2 do
    values[arguments[i]] = arguments[i + 1]
  end
  return is_english and resolve_in_english(key, values) or M.resolve(key, values)
end

M.MAX_LISTED = 4 -- maximum number of titles that M.list joins: each of them nests the reference one level deeper

-- Joins titles: "Fire, Jump". Uses at most MAX_LISTED titles.
---@param titles string[]
---@return string
function M.list(titles)
  local out = titles[math.min(#titles, M.MAX_LISTED)]
  for i = math.min(#titles, M.MAX_LISTED) - 1, 1, -1 do
    out = M.resolve("listed", { first = titles[i], rest = out })
  end
  return out or ""
end

-- Returns the reference to the translated label of a key or button, such as "Space"; the label itself if it has no
-- translation.
---@param label string the label in English
---@return string
function M.get_label(label)
  local key = "key_" .. label:lower():gsub("[^%w]+", "_")
  return M.has_texts and ui_strings.strings.en[key] and "@shoal." .. key or label
end

-- Returns the label of a key or button in the current language.
---@param label string the label in English
---@return string
function M.translate_label(label)
  return M.has_texts and ffi.string(C.ui_resolve_string(W, M.get_label(label))) or label
end

-- Returns the display text of a name in the game's code: a reference to the text KIND.NAME, such as settings.music, if
-- the game has it; otherwise a reference to Shoal's own text, or the name as readable text, "Sound effects".
---@param kind "settings"|"actions"|"choices"
---@param name string name in the code: "sound_effects"
---@param part "axis"|"negative"|"positive"|nil part of an action; the text actions.NAME.PART takes precedence
---@return string
function M.title(kind, name, part)
  if part and M.has_texts and has_key(kind .. "." .. name .. "." .. part) then
    return "@" .. kind .. "." .. name .. "." .. part
  end
  local addon, plain_name = scope.split_name(name)
  if M.has_texts and has_key(kind .. "." .. name) then
    return "@" .. kind .. "." .. name
  elseif M.has_texts and addon and has_key(addon.prefix .. kind .. "." .. plain_name) then
    return "@" .. addon.prefix .. kind .. "." .. plain_name
  elseif M.has_texts and ui_strings.strings.en[name] and kind ~= "actions" then
    return "@shoal." .. name
  end
  return (plain_name:gsub("_", " "):gsub("^%l", string.upper))
end

local SIGNS = { negative = " −", positive = " +" }

-- Returns the display text of an axis's part: the text actions.NAME.PART, such as "Steer left", or the display text of
-- the axis with a sign for the direction: "Steer −".
---@param name string
---@param part "axis"|"negative"|"positive"
---@return string
function M.part_title(name, part)
  local title = M.title("actions", name, part)
  local is_named = title == "@actions." .. name .. "." .. part
  return SIGNS[part] and not is_named and M.resolve("signed", { name = title, sign = SIGNS[part] }) or title
end

return M
