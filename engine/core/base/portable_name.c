// Rules for file names on Windows: "Naming Files, Paths, and Namespaces" in Microsoft's documentation.
#include "base/portable_name.h"

#include "base/assert.h"
#include "base/case_folding.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns the folded first character of a text, and stores the length in bytes of the character itself.
static uint32_t read_folded(const char *text, uint32_t *length) {
  *length = 1;
  return case_fold((uint8_t)*text < 0x80 ? (uint8_t)*text : utf8_decode(text, strlen(text), length));
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

size_t portable_name_find_twin(const char *a, const char *b, size_t *b_length) {
  bool differs = false;
  size_t a_at = 0, b_at = 0;
  for (;;) {
    uint32_t length, other_length;
    bool a_ends = a[a_at] == '/' || !a[a_at], b_ends = b[b_at] == '/' || !b[b_at];
    if (a_ends && b_ends && differs) {
      *b_length = b_at;
      return a_at;
    }
    if (a_ends != b_ends || !a[a_at] || !b[b_at] ||
        read_folded(a + a_at, &length) != read_folded(b + b_at, &other_length) ||
        is_utf8(a + a_at, length) != is_utf8(b + b_at, other_length)) // U+FFFD, and an invalid byte
      return 0;
    differs = differs || length != other_length || memcmp(a + a_at, b + b_at, length) != 0;
    a_at += length;
    b_at += other_length;
  }
}

static int compare_paths(const void *a, const void *b) {
  const char *path_a = *(const char *const *)a, *path_b = *(const char *const *)b;
  int order = portable_name_compare(path_a, path_b);
  return order ? order : strcmp(path_a, path_b);
}

bool portable_name_find_twins(const char **paths, uint32_t count, portable_twins_t *out) {
  if (count > 0)
    qsort(paths, count, sizeof *paths, compare_paths);
  for (uint32_t i = 1; i < count; ++i) {
    *out = (portable_twins_t){.a = paths[i - 1], .b = paths[i]};
    out->a_length = portable_name_find_twin(out->a, out->b, &out->b_length);
    if (out->a_length > 0)
      return true;
  }
  return false;
}
