-- Layouts of the on-screen keyboard. A layout is a list of pages; a page is a list of rows; a row is a string with one
-- key per character. Shift shows the capital letters: M.capital. Languages whose scripts need an input method, such as
-- Chinese and Korean, use the Latin layout.
local need = ...
local utf8 = need("base/utf8")

local M = {}

local DIGITS = "1234567890"
local QWERTY = { DIGITS, "qwertyuiop", "asdfghjkl'", "zxcvbnm,.-" }
local ACCENTS = { "áàâäãåæ@#&", "éèêëíìîï()", "óòôöõøœ/+*", "úùûüýÿçñß%" }

-- Returns a Latin layout: the rows, and a page of accented letters.
local function latin(...)
  return { { DIGITS, ... }, ACCENTS }
end

-- Returns the layout of a non-Latin script, followed by the Latin letters.
local function script(...)
  return { { DIGITS, ... }, QWERTY }
end

-- Returns the Latin layout with additional rows.
local function extended(...)
  return latin(QWERTY[2], QWERTY[3], QWERTY[4], ...)
end

local NORDIC = latin("qwertyuiopå", "asdfghjkløæ", "zxcvbnm,.-'")
local ARABIC = script("ضصثقفغعهخحجد", "شسيبلاتنمكط", "ئءؤرىةوزظذ", "أإآپچژگکی،؟")
local JAPANESE = {
  { "あかさたなはまやらわ", "いきしちにひみゆりを", "うくすつぬふむよるん", "えけせてねへめ、れー", "おこそとのほも。ろ・" },
  { "がざだばぱぁゃ", "ぎじぢびぴぃゅ", "ぐずづぶぷぅょ", "げぜでべぺぇっ", "ごぞどぼぽぉゎ" },
  QWERTY,
}

-- Layouts by language.
---@type table<string, string[][]>
M.layouts = {
  en = { QWERTY, ACCENTS },
  de = latin("qwertzuiopü", "asdfghjklöä", "yxcvbnm,.-ß"),
  fr = latin("azertyuiop", "qsdfghjklm", "wxcvbn,.-'", "éèêëàâçùûîôœ"),
  es = latin("qwertyuiop", "asdfghjklñ", "zxcvbnm,.-", "áéíóúü¿¡"),
  it = extended "àèéìòù", pt = extended "áâãàçéêíóôõú", ca = extended "àçèéíïòóúü·", eu = extended "ñç",
  sv = latin("qwertyuiopå", "asdfghjklöä", "zxcvbnm,.-'"), fi = latin("qwertyuiopå", "asdfghjklöä", "zxcvbnm,.-'"),
  da = NORDIC, nb = NORDIC, no = NORDIC, is = extended "áðéíóúýþæö", et = extended "õäöüšž",
  pl = extended "ąćęłńóśźż", cs = extended("áčďéěíňó", "řšťúůýž"), sk = extended("áäčďéíĺľň", "óôŕšťúýž"),
  hu = extended "áéíóöőúüű", ro = extended "ăâîșț", tr = extended "çğıöşü", hr = extended "čćđšž",
  sl = extended "čšž", lt = extended "ąčęėįšųūž", lv = extended "āčēģīķļņšūž", ga = extended "áéíóú",
  vi = { { DIGITS, QWERTY[2], QWERTY[3], QWERTY[4] }, { "áàảãạăắằẳẵặ", "âấầẩẫậđéèẻẽẹ", "êếềểễệíìỉĩị", "óòỏõọôốồổỗộ",
    "ơớờởỡợúùủũụ", "ưứừửữựýỳỷỹỵ" } },
  ru = script("йцукенгшщзх", "фывапролджэ", "ячсмитьбюъё"), uk = script("йцукенгшщзх", "фівапролджє", "ячсмитьбюґї"),
  bg = script("явертъуиопч", "асдфгхйклшщ", "зьцжбнмюѝ,."), sr = script("љњертзуиопш", "асдфгхјклчћ", "ѕџцвбнмђж,."),
  el = script(";ςερτυθιοπ", "ασδφγηξκλ", "ζχψωβνμ,.", "άέήίόύώϊϋ"),
  he = script("קראטוןםפ", "שדגכעיחלךף", "זסבהנמצתץ"), ar = ARABIC, fa = ARABIC,
  ja = JAPANESE,
}

-- Returns the layout of a language such as "pt_BR".
---@param language string
---@return string[][]
function M.find(language)
  return M.layouts[language] or M.layouts[language:match("^%a*")] or M.layouts.en
end

-- Keys that Shift changes to other symbols.
local SYMBOLS = { ["1"] = "!", ["2"] = "?", ["3"] = "@", ["4"] = "#", ["5"] = "&", ["6"] = "(", ["7"] = ")",
  ["8"] = "/", ["9"] = "*", ["0"] = "=", [","] = ";", ["."] = ":", ["-"] = "_", ["'"] = "\"" }

-- Letters whose capital is not at a fixed distance: code point of the small letter → code point of the capital.
local CAPITALS = { [0xFF] = 0x178, [0x131] = 0x49, [0x3C2] = 0x3A3, [0x3AC] = 0x386, [0x3CC] = 0x38C, [0x3CD] = 0x38E,
  [0x3CE] = 0x38F, [0x219] = 0x218, [0x21B] = 0x21A, [0x1A1] = 0x1A0, [0x1B0] = 0x1AF, [0x491] = 0x490 }

-- Blocks of small letters: first and last code point, distance to the capitals. Katakana are the capitals of hiragana.
local BLOCKS = { { 0x61, 0x7A, -32 }, { 0xE0, 0xF6, -32 }, { 0xF8, 0xFE, -32 }, { 0x3AD, 0x3AF, -37 },
  { 0x3B1, 0x3CB, -32 }, { 0x430, 0x44F, -32 }, { 0x450, 0x45F, -80 }, { 0x3041, 0x3096, 96 } }

-- Blocks in which small and capital letters alternate: first and last code point of the small letters.
local PAIRS = { { 0x101, 0x137 }, { 0x13A, 0x148 }, { 0x14B, 0x177 }, { 0x17A, 0x17E }, { 0x1EA1, 0x1EF9 } }

local function find_capital(code)
  for _, block in ipairs(BLOCKS) do
    if code >= block[1] and code <= block[2] then
      return code + block[3]
    end
  end
  for _, block in ipairs(PAIRS) do
    if code >= block[1] and code <= block[2] and (code - block[1]) % 2 == 0 then
      return code - 1
    end
  end
  return code
end

-- Returns the character that a key types while Shift is on.
---@param character string
---@return string
function M.capital(character)
  local code = utf8.codepoint(character)
  return SYMBOLS[character] or utf8.char(CAPITALS[code] or find_capital(code))
end

return M
