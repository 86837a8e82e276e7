// Finds the characters that no contextual rule of a font applies to, and caches the shapes of their pairs.
//
// Pairs are kerned by the table `kern`, which changes the advances of both glyphs, independently of the glyphs around
// them. Ligatures and contextual forms come from the table `morx` of Apple's fonts: finite-state machines that read one
// glyph at a time. A character that leaves the initial state of each machine unchanged cannot start a rule, so no rule
// applies to a text of such characters. A character that may begin a ligature is allowed before characters that return
// the machine to its initial state. Fonts with OpenType rules (GSUB, GPOS) are not analysed.
#include "text/pair_widths.h"

#include <harfbuzz/hb-ot.h>
#include <string.h>

#define FIRST_CHARACTER 0x20u
#define CHARACTERS 95u   // number of printable ASCII characters
#define PAIR_STRIDE 128u // number of pairs per character; a power of two makes the index of a pair cheap to compute

typedef enum state_t { UNKNOWN, PLAIN, COMPLEX } state_t;

typedef struct pair_t {
  int32_t advance; // advance of the second character, in font units
  int16_t kerning; // change of the first character's advance, in font units
  uint8_t state;
} pair_t;

struct pair_widths_o {
  hb_font_t *font;
  uint8_t states[CHARACTERS];
  int32_t advances[CHARACTERS];
  pair_t pairs[CHARACTERS][PAIR_STRIDE];
};

// --- tables

// A part of a font file. Reading past its end returns 0 and sets `is_damaged`.
typedef struct bytes_t {
  const uint8_t *data;
  size_t size;
  bool *is_damaged;
} bytes_t;

static uint32_t read_u16(bytes_t b, size_t at) {
  if (at + 2 > b.size || at + 2 < at) {
    *b.is_damaged = true;
    return 0;
  }
  return (uint32_t)b.data[at] << 8 | b.data[at + 1];
}

static uint32_t read_u32(bytes_t b, size_t at) {
  return read_u16(b, at) << 16 | read_u16(b, at + 2);
}

static bytes_t skip_bytes(bytes_t b, size_t at) {
  if (at > b.size)
    *b.is_damaged = true;
  at = at > b.size ? b.size : at;
  return (bytes_t){b.data + at, b.size - at, b.is_damaged};
}

static bool has_table(hb_face_t *face, const char *tag) {
  hb_blob_t *blob = hb_face_reference_table(face, hb_tag_from_string(tag, 4));
  bool is_present = hb_blob_get_length(blob) > 0;
  hb_blob_destroy(blob);
  return is_present;
}

// --- kern

// Returns true if a subtable kerns only pairs in horizontal text. Format 1 is a state machine.
static bool is_pair_subtable(uint32_t format, uint32_t flags, bool is_apple) {
  return is_apple ? flags == 0 && (format == 0 || format == 2 || format == 3)
                  : flags == 1 && (format == 0 || format == 2);
}

static bool has_only_pairs(bytes_t kern) {
  bool is_apple = read_u16(kern, 0) == 1;
  uint32_t count = is_apple ? read_u32(kern, 4) : read_u16(kern, 2);
  size_t at = is_apple ? 8 : 4;
  for (uint32_t i = 0; i < count && !*kern.is_damaged; ++i) {
    uint32_t length = is_apple ? read_u32(kern, at) : read_u16(kern, at + 2), coverage = read_u16(kern, at + 4);
    uint32_t format = is_apple ? coverage & 0xff : coverage >> 8, flags = is_apple ? coverage >> 8 : coverage & 0xff;
    if (!is_pair_subtable(format, flags, is_apple))
      return false;
    at += length > 0 || i + 1 == count ? length : kern.size; // an empty subtable would repeat
  }
  return !*kern.is_damaged;
}

// --- morx

enum { MORX_REARRANGEMENT = 0, MORX_CONTEXTUAL = 1, MORX_LIGATURE = 2, MORX_NON_CONTEXTUAL = 4, MORX_INSERTION = 5 };

#define NO_VALUE 0xFFFFFFFFu

// Returns the value of a glyph in a table that is sorted by segments (formats 2 and 4) or by glyphs (format 6), or
// NO_VALUE if the table does not contain the glyph.
static uint32_t find_unit(bytes_t lookup, uint32_t format, uint32_t glyph) {
  uint32_t unit_bytes = read_u16(lookup, 2), count = read_u16(lookup, 4);
  for (uint32_t i = 0; i < count && !*lookup.is_damaged; ++i) {
    size_t at = 12 + (size_t)i * unit_bytes;
    uint32_t last = read_u16(lookup, at), first = format == 6 ? last : read_u16(lookup, at + 2);
    if (glyph < first || glyph > last || last == 0xFFFF)
      continue;
    return format == 6   ? read_u16(lookup, at + 2)
           : format == 2 ? read_u16(lookup, at + 4)
                         : read_u16(lookup, read_u16(lookup, at + 4) + (size_t)(glyph - first) * 2);
  }
  return NO_VALUE;
}

// Returns the value of a glyph in a lookup table, or NO_VALUE if the table does not contain the glyph. An unsupported
// format counts as damage.
static uint32_t find_glyph_value(bytes_t lookup, uint32_t glyph) {
  uint32_t format = read_u16(lookup, 0), first = read_u16(lookup, 2), count = read_u16(lookup, 4);
  if (format == 2 || format == 4 || format == 6)
    return find_unit(lookup, format, glyph);
  if (format == 0)
    return read_u16(lookup, 2 + (size_t)glyph * 2);
  if (format == 8)
    return glyph >= first && glyph - first < count ? read_u16(lookup, 6 + (size_t)(glyph - first) * 2) : NO_VALUE;
  *lookup.is_damaged = true;
  return NO_VALUE;
}

#define SETS_COMPONENT 0x8000u // flag of an entry of a ligature machine: the glyph may become a part of a ligature

typedef struct transition_t {
  uint32_t state, flags;
  bool has_action;
} transition_t;

// Returns the transition of a machine from a state for a glyph class. A class that the machine does not define is
// treated as having an action.
static transition_t read_transition(bytes_t machine, uint32_t type, uint32_t state, uint32_t class) {
  uint32_t class_count = read_u32(machine, 0);
  bytes_t states = skip_bytes(machine, read_u32(machine, 8)), entries = skip_bytes(machine, read_u32(machine, 12));
  size_t entry_bytes = type == MORX_REARRANGEMENT ? 4 : type == MORX_LIGATURE ? 6 : 8;
  if (class >= class_count)
    return (transition_t){.has_action = true};
  size_t entry = read_u16(states, ((size_t)state * class_count + class) * 2) * entry_bytes;
  bool has_indices = type == MORX_CONTEXTUAL || type == MORX_INSERTION;
  return (transition_t){.state = read_u16(entries, entry),
                        .flags = read_u16(entries, entry + 2),
                        .has_action = has_indices && read_u32(entries, entry + 4) != NO_VALUE};
}

// Returns true if a glyph class does nothing in a state, and leads to the initial state.
static bool is_inert(bytes_t machine, uint32_t type, uint32_t state, uint32_t class) {
  transition_t t = read_transition(machine, type, state, class);
  return t.state == 0 && t.flags == 0 && !t.has_action;
}

enum { CLASS_END_OF_TEXT = 0, CLASS_OUT_OF_BOUNDS = 1 };

// Stores the class of each character. A character without a glyph has class CLASS_OUT_OF_BOUNDS.
static void find_classes(const pair_widths_o *widths, bytes_t lookup, uint32_t classes[CHARACTERS]) {
  for (uint32_t i = 0; i < CHARACTERS; ++i) {
    hb_codepoint_t glyph;
    bool has_glyph = hb_font_get_nominal_glyph(widths->font, FIRST_CHARACTER + i, &glyph);
    uint32_t value = has_glyph ? find_glyph_value(lookup, glyph) : NO_VALUE;
    classes[i] = value == NO_VALUE ? CLASS_OUT_OF_BOUNDS : value;
  }
}

// Marks a character that leaves the initial state of a machine: as complex or, if it may only begin a ligature with
// certain characters, its pairs with these characters.
static void exclude_character(pair_widths_o *widths, bytes_t machine, uint32_t type, uint32_t i,
                              const uint32_t classes[CHARACTERS]) {
  transition_t t = read_transition(machine, type, 0, classes[i]);
  bool begins_ligature = type == MORX_LIGATURE && (t.flags & ~SETS_COMPONENT) == 0 && t.state != 0 &&
                         is_inert(machine, type, t.state, CLASS_END_OF_TEXT);
  if (!begins_ligature)
    widths->states[i] = COMPLEX;
  for (uint32_t next = 0; begins_ligature && next < CHARACTERS; ++next)
    if (!is_inert(machine, type, t.state, classes[next]))
      widths->pairs[i][next].state = COMPLEX;
}

static void exclude_replaced_characters(pair_widths_o *widths, bytes_t lookup) {
  for (uint32_t i = 0; i < CHARACTERS; ++i) {
    hb_codepoint_t glyph;
    if (hb_font_get_nominal_glyph(widths->font, FIRST_CHARACTER + i, &glyph)) {
      uint32_t value = find_glyph_value(lookup, glyph);
      if (value != NO_VALUE && value != glyph)
        widths->states[i] = COMPLEX;
    }
  }
}

// Marks the characters and pairs to which a subtable may apply as complex. Returns true on success, or false if the
// subtable may apply to every text.
static bool exclude_characters(pair_widths_o *widths, bytes_t subtable, uint32_t type) {
  uint32_t classes[CHARACTERS];
  if (type == MORX_NON_CONTEXTUAL) {
    exclude_replaced_characters(widths, subtable);
    return true;
  }
  bool is_machine =
      type == MORX_REARRANGEMENT || type == MORX_CONTEXTUAL || type == MORX_LIGATURE || type == MORX_INSERTION;
  if (!is_machine || !is_inert(subtable, type, 0, CLASS_END_OF_TEXT))
    return false;
  find_classes(widths, skip_bytes(subtable, read_u32(subtable, 4)), classes);
  for (uint32_t i = 0; i < CHARACTERS; ++i)
    if (!is_inert(subtable, type, 0, classes[i]))
      exclude_character(widths, subtable, type, i, classes);
  return true;
}

// Like exclude_characters, for the subtables of a chain that apply by default.
static bool exclude_chain(pair_widths_o *widths, bytes_t chain) {
  uint32_t default_flags = read_u32(chain, 0), features = read_u32(chain, 8), count = read_u32(chain, 12);
  size_t at = 16 + (size_t)features * 12;
  for (uint32_t i = 0; i < count && !*chain.is_damaged; ++i) {
    uint32_t length = read_u32(chain, at), type = read_u32(chain, at + 4) & 0xff, flags = read_u32(chain, at + 8);
    if ((flags & default_flags) != 0 && !exclude_characters(widths, skip_bytes(chain, at + 12), type))
      return false;
    at += length > 12 ? length : chain.size;
  }
  return !*chain.is_damaged;
}

static bool exclude_morx(pair_widths_o *widths, bytes_t morx) {
  uint32_t count = read_u32(morx, 4);
  size_t at = 8;
  for (uint32_t i = 0; i < count && !*morx.is_damaged; ++i) {
    bytes_t chain = skip_bytes(morx, at);
    uint32_t length = read_u32(chain, 4);
    if (!exclude_chain(widths, chain))
      return false;
    at += length > 16 ? length : morx.size;
  }
  return !*morx.is_damaged;
}

// --- life cycle

static bool examine_table(pair_widths_o *widths, hb_face_t *face, const char *tag,
                          bool (*examine)(pair_widths_o *widths, bytes_t table)) {
  bool is_damaged = false;
  hb_blob_t *blob = hb_face_reference_table(face, hb_tag_from_string(tag, 4));
  unsigned size = 0;
  const char *data = hb_blob_get_data(blob, &size);
  bool ok = size == 0 || examine(widths, (bytes_t){(const uint8_t *)data, size, &is_damaged});
  hb_blob_destroy(blob);
  return ok;
}

static bool examine_kern(pair_widths_o *widths, bytes_t kern) {
  (void)widths;
  return has_only_pairs(kern);
}

static bool has_pair_widths(pair_widths_o *widths) {
  static const char *const UNSUPPORTED[] = {"GSUB", "GPOS", "mort", "kerx", "trak", "Silf"};
  hb_face_t *face = hb_font_get_face(widths->font);
  for (size_t i = 0; i < sizeof UNSUPPORTED / sizeof *UNSUPPORTED; ++i)
    if (has_table(face, UNSUPPORTED[i]))
      return false;
  return examine_table(widths, face, "kern", examine_kern) && examine_table(widths, face, "morx", exclude_morx);
}

pair_widths_o *pair_widths_create(allocator_t *a, hb_font_t *font) {
  pair_widths_o *widths = alloc_resize(a, NULL, 0, sizeof *widths);
  memset(widths, 0, sizeof *widths);
  widths->font = font;
  if (has_pair_widths(widths))
    return widths;
  pair_widths_destroy(a, widths);
  return NULL;
}

void pair_widths_destroy(allocator_t *a, pair_widths_o *widths) {
  if (widths)
    alloc_resize(a, widths, sizeof *widths, 0);
}

// --- shapes

// Shapes one or two characters and stores their advances. Returns true on success, or false if a character does not
// have exactly one glyph.
static bool shape(const pair_widths_o *widths, hb_buffer_t *buffer, const uint32_t *codes, uint32_t count,
                  int32_t *advances) {
  unsigned glyph_count = 0;
  hb_buffer_clear_contents(buffer);
  hb_buffer_set_direction(buffer, HB_DIRECTION_LTR);
  hb_buffer_set_script(buffer, HB_SCRIPT_LATIN);
  hb_buffer_add_codepoints(buffer, codes, (int)count, 0, (int)count);
  hb_shape(widths->font, buffer, NULL, 0);
  const hb_glyph_info_t *infos = hb_buffer_get_glyph_infos(buffer, &glyph_count);
  const hb_glyph_position_t *positions = hb_buffer_get_glyph_positions(buffer, NULL);
  bool ok = glyph_count == count;
  for (uint32_t i = 0; ok && i < count; ++i) {
    advances[i] = positions[i].x_advance;
    ok = infos[i].cluster == i && infos[i].codepoint != 0;
  }
  return ok;
}

static bool is_plain(pair_widths_o *widths, hb_buffer_t *buffer, uint32_t i) {
  const uint32_t code = FIRST_CHARACTER + i;
  hb_codepoint_t glyph;
  if (widths->states[i] == UNKNOWN)
    widths->states[i] = hb_font_get_nominal_glyph(widths->font, code, &glyph) &&
                                shape(widths, buffer, &code, 1, &widths->advances[i]) && widths->advances[i] >= 0 &&
                                widths->advances[i] <= UINT16_MAX
                            ? PLAIN
                            : COMPLEX;
  return widths->states[i] == PLAIN;
}

// Returns a pair, which is plain if it has one glyph per character and kerning reduces each advance by at most half.
// The advance of a character is then positive or 0 in each text of plain pairs.
static const pair_t *find_pair(pair_widths_o *widths, hb_buffer_t *buffer, uint32_t first, uint32_t second) {
  pair_t *pair = &widths->pairs[first][second];
  if (pair->state != UNKNOWN)
    return pair;
  const uint32_t codes[2] = {FIRST_CHARACTER + first, FIRST_CHARACTER + second};
  int32_t advances[2];
  pair->state = COMPLEX;
  if (!shape(widths, buffer, codes, 2, advances))
    return pair;
  int32_t a = advances[0] - widths->advances[first], b = advances[1] - widths->advances[second];
  bool fits = a == (int16_t)a && b == (int16_t)b; // and -2 * a cannot overflow
  if (fits && -2 * a <= widths->advances[first] && -2 * b <= widths->advances[second])
    *pair = (pair_t){advances[1], (int16_t)a, PLAIN};
  return pair;
}

// Sums the advances of the first characters whose pairs are known to be plain. Returns the number of these characters.
static size_t sum_known_advances(const pair_widths_o *widths, const char *text, size_t bytes, int32_t *sums) {
  uint32_t previous = (uint8_t)text[0] - FIRST_CHARACTER;
  if (previous >= CHARACTERS || widths->states[previous] != PLAIN)
    return 0;
  int32_t sum = widths->advances[previous];
  for (size_t i = 1; i < bytes; ++i) {
    uint32_t current = (uint8_t)text[i] - FIRST_CHARACTER;
    if (current >= CHARACTERS)
      return i;
    const pair_t *pair = &widths->pairs[previous][current];
    if (pair->state != PLAIN)
      return i;
    sums[i] = sum += pair->kerning;
    sum += pair->advance;
    previous = current;
  }
  sums[bytes] = sum;
  return bytes;
}

// Shapes the pair that ends with character `i`, or the first character. Returns true if the characters of the pair and
// the pair are plain.
static bool is_plain_at(pair_widths_o *widths, hb_buffer_t *buffer, const char *text, size_t i) {
  uint32_t current = (uint8_t)text[i] - FIRST_CHARACTER;
  return current < CHARACTERS && is_plain(widths, buffer, current) &&
         (i == 0 || find_pair(widths, buffer, (uint8_t)text[i - 1] - FIRST_CHARACTER, current)->state == PLAIN);
}

bool pair_widths_sum_advances(pair_widths_o *widths, hb_buffer_t *buffer, const char *text, size_t bytes,
                              int32_t *sums) {
  sums[0] = 0;
  for (size_t known = 0; known < bytes;) {
    known = sum_known_advances(widths, text, bytes, sums);
    if (known < bytes && !is_plain_at(widths, buffer, text, known))
      return false;
  }
  return true;
}

int32_t pair_widths_get_kerning(const pair_widths_o *widths, char first, char second, bool of_second) {
  uint32_t a = (uint8_t)first - FIRST_CHARACTER, b = (uint8_t)second - FIRST_CHARACTER;
  return of_second ? widths->pairs[a][b].advance - widths->advances[b] : widths->pairs[a][b].kerning;
}
