// Name, version, licence and requirements of an add-on. addon.lua is parsed but not run: its values must be literals,
// or locals with literals, and it may contain no other code.
#ifndef SHOAL_ADDONS_ADDON_INFO_H
#define SHOAL_ADDONS_ADDON_INFO_H

#include "addons/addon_files.h"
#include "luajit/literal.h"

#define ADDON_NAME_BYTES 41 // maximum length of a name, plus 1
#define ADDON_VERSION_BYTES 32

typedef struct addon_requirement_t {
  char name[ADDON_NAME_BYTES], version[ADDON_VERSION_BYTES]; // name and accepted versions, such as "menu" and ">=1.0"
} addon_requirement_t;

typedef struct addon_info_t {
  char name[ADDON_NAME_BYTES], version[ADDON_VERSION_BYTES];
  char licence[64]; // licence; "" if missing in addon.lua
  addon_requirement_t requires[16];
  uint32_t requires_count;
} addon_info_t;

// Reads the text of an addon.lua. Returns true on success, or false with a message that begins with "addon.lua:LINE: "
// if the text is malformed, or the name or the version is missing or invalid.
bool addon_info_parse(allocator_t *memory, const char *text, size_t bytes, addon_info_t *out, error_info_t *error);
// Reads the addon.lua in a folder. Returns true on success, or false with a message if the file cannot be read or is
// malformed.
bool addon_info_read(allocator_t *memory, const char *folder, addon_info_t *out, error_info_t *error);

// Returns a negative number, 0 or a positive number if version `a` is older than, equal to or newer than `b`. A missing
// third number is 0.
int addon_version_compare(const char *a, const char *b);
bool addon_version_is_valid(const char *version); // returns true for two or three numbers: "1.2"
// Returns true if the version meets a requirement: ">=1.0", ">1.0", "=1.0" or "1.0".
bool addon_version_meets(const char *version, const char *requirement);

// Copies the text of a string literal to `out`, a buffer of `bytes` bytes. Returns true on success, or false if the
// expression is not a string literal, contains an escape sequence, or does not fit.
bool addon_copy_string(literal_span_t literal, char *out, size_t bytes);

#endif
