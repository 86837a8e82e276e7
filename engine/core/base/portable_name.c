// Rules for file names on Windows: "Naming Files, Paths, and Namespaces" in Microsoft's documentation.
#include "base/portable_name.h"

#include "base/assert.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Converts an upper-case letter to lower case. Returns the lower-case letter, which has the same number of bytes in
// UTF-8, or the character itself if it is no upper-case letter. Accented Greek letters are not converted.
static uint32_t fold_case(uint32_t c) {
  bool is_odd = c & 1;
  if ((c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x391 && c <= 0x3a9) ||
      (c >= 0x410 && c <= 0x42f))
    return c + 32;
  if (c >= 0x400 && c <= 0x40f)
    return c + 80;
  if (c == 0x178)
    return 0xff;
  // pairs of letters in Latin Extended-A and Cyrillic: the upper-case letter precedes the lower-case letter
  bool begins_odd = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e);
  bool begins_even = (c >= 0x100 && c <= 0x12f) || (c >= 0x132 && c <= 0x137) || (c >= 0x14a && c <= 0x177) ||
                     (c >= 0x460 && c <= 0x481) || (c >= 0x48a && c <= 0x4bf) || (c >= 0x4d0 && c <= 0x52f);
  return c + ((begins_odd && is_odd) || (begins_even && !is_odd));
}

// Returns the first character of a text in lower case, and stores the character's length in bytes.
static uint32_t read_folded(const char *text, uint32_t *length) {
  *length = 1;
  return fold_case((uint8_t)*text < 0x80 ? (uint8_t)*text : utf8_decode(text, strlen(text), length));
}

static char fold_ascii(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

// Returns true if the text equals one of the words, which are in lower case. Ignores the case of ASCII letters.
static bool is_word(const char *text, size_t length, const char *const *words) {
  for (; *words; ++words) {
    size_t i = 0;
    while (i < length && (*words)[i] && fold_ascii(text[i]) == (*words)[i])
      ++i;
    if (i == length && !(*words)[i])
      return true;
  }
  return false;
}

// Returns true for device names, which are reserved with any extension: con.lua, COM1.tar.gz, and nul with spaces
// before the extension.
static bool is_reserved(const char *name, size_t length) {
  static const char *const WORDS[] = {"con", "prn", "aux", "nul", "conin$", "conout$", NULL},
                           *const PORTS[] = {"com", "lpt", NULL},
                           *const SUPERSCRIPTS[] = {"\u00b9", "\u00b2", "\u00b3", NULL};
  const char *dot = memchr(name, '.', length);
  size_t base = dot ? (size_t)(dot - name) : length;
  while (base > 0 && name[base - 1] == ' ')
    --base;
  if (is_word(name, base, WORDS))
    return true;
  if (base < 4 || !is_word(name, 3, PORTS))
    return false;
  return (base == 4 && name[3] >= '1' && name[3] <= '9') || is_word(name + 3, base - 3, SUPERSCRIPTS);
}

static bool has_reserved_character(const char *name, size_t length) {
  for (size_t i = 0; i < length; ++i)
    if ((uint8_t)name[i] < 32 || strchr("<>:\"\\|?*", name[i]))
      return true;
  return false;
}

static bool is_utf8(const char *text, size_t length) {
  size_t bytes = 1;
  for (size_t i = 0; i < length && bytes > 0; i += bytes)
    bytes = utf8_character_length_n(text + i, length - i);
  return bytes > 0;
}

static const char *find_name_fault(const char *name, size_t length) {
  if (!is_utf8(name, length))
    return "file names on Windows must be valid UTF-8";
  if (has_reserved_character(name, length))
    return "file names on Windows cannot contain < > : \" \\ | ? * or control characters";
  if (name[length - 1] == '.' || name[length - 1] == ' ')
    return "file names on Windows cannot end with a dot or a space";
  return is_reserved(name, length) ? "Windows reserves names such as CON, NUL and COM1, with any extension" : NULL;
}

const char *portable_name_find_fault(const char *path, char *out, size_t out_bytes) {
  shoal_assert(out_bytes > 0, "out_bytes must not be 0");
  for (const char *name = path + strspn(path, "/"); *name;) {
    size_t length = strcspn(name, "/");
    const char *fault = find_name_fault(name, length);
    if (fault) {
      snprintf(out, out_bytes, "%.*s", (int)length, name);
      return fault;
    }
    name += length;
    name += strspn(name, "/");
  }
  return NULL;
}

int portable_name_compare(const char *a, const char *b) {
  for (;;) {
    uint32_t a_length, b_length, a_char = read_folded(a, &a_length), b_char = read_folded(b, &b_length);
    if (a_char != b_char) { // '/' precedes all other characters, so that a folder and its content are neighbours
      a_char = a_char == '/' ? 1 : a_char;
      b_char = b_char == '/' ? 1 : b_char;
      return a_char < b_char ? -1 : 1;
    }
    if (a_char == '\0')
      return 0;
    a += a_length;
    b += b_length;
  }
}

size_t portable_name_find_twin(const char *a, const char *b) {
  bool differs = false;
  for (size_t at = 0;;) {
    uint32_t length, b_length;
    bool a_ends = a[at] == '/' || !a[at], b_ends = b[at] == '/' || !b[at];
    if (a_ends && b_ends && differs)
      return at;
    if (a_ends != b_ends || !a[at] || !b[at] || read_folded(a + at, &length) != read_folded(b + at, &b_length) ||
        length != b_length) // U+FFFD, and an invalid byte
      return 0;
    differs = differs || memcmp(a + at, b + at, length) != 0;
    at += length;
  }
}
