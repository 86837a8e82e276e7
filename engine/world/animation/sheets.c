// Cache of sheets by image name: read on first use and reloaded when their files change.
#include "animation/sheets.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/log_once.h"
#include "base/nearest_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct named_sheet_t {
  uint64_t hash; // hash of the image's name
  char *file;    // file name of the sheet, such as hero.json; NULL if the image has no extension
  sheet_t *sheet;
  bool is_invalid; // true if the sheet cannot be read; false if the file is missing or is a data file
} named_sheet_t;

struct sheets_o {
  allocator_t allocator;
  const assets_t *assets;
  log_o *log;
  ARRAY(named_sheet_t) list;
  log_once_t logged;
};

sheets_o *sheets_create(const assets_t *assets, log_o *log) {
  sheets_o *s = alloc_object(sizeof *s);
  s->assets = assets;
  s->log = log;
  return s;
}

void sheets_destroy(sheets_o *sheets) {
  if (!sheets)
    return;
  for (uint32_t i = 0; i < sheets->list.count; ++i) {
    free(sheets->list.items[i].file);
    sheet_destroy(sheets->list.items[i].sheet);
  }
  array_free(&sheets->allocator, &sheets->list);
  array_free(&sheets->allocator, &sheets->logged);
  shoal_assert(sheets->allocator.bytes == 0, "sheets leaked %zu bytes", sheets->allocator.bytes);
  free(sheets);
}

bool sheets_record_warning(sheets_o *s, uint64_t key) {
  return !log_is_muted(s->log) && log_once_add(&s->logged, &s->allocator, key, UINT32_MAX);
}

static bool is_aseprite(const char *image) {
  const char *extension = strrchr(image, '.');
  return extension && (strcmp(extension, ".aseprite") == 0 || strcmp(extension, ".ase") == 0);
}

// Returns hero.json for hero.png, the unchanged name for hero.aseprite, or NULL for an image name without extension.
// The result is allocated with malloc.
static char *format_sheet_path(const char *image) {
  const char *dot = strrchr(image, '.'), *slash = strrchr(image, '/');
  if (!dot || dot == image || (slash && dot < slash))
    return NULL;
  const char *extension = is_aseprite(image) ? dot : ".json";
  size_t stem_length = (size_t)(dot - image), extension_bytes = strlen(extension) + 1;
  char *file = malloc(stem_length + extension_bytes);
  if (!file)
    abort();
  memcpy(file, image, stem_length);
  memcpy(file + stem_length, extension, extension_bytes);
  return file;
}

// Reads the sheet of an .aseprite file. Logs a warning about the first layer that is drawn differently from Aseprite.
// Returns the sheet, or NULL with an error.
static sheet_t *read_aseprite(sheets_o *sheets, const char *file, const char *bytes, size_t size_bytes,
                              error_info_t *error) {
  error_info_t notice = {0};
  sheet_t *sheet = sheet_read_aseprite(&sheets->allocator, bytes, size_bytes, &notice, error);
  if (sheet && notice.text[0])
    log_warn(sheets->log, "%s: %s", file, notice.text);
  return sheet;
}

// Reads a sheet. Returns the sheet, or NULL on failure; *is_data_file is then true if the file is missing or is not a
// sheet.
static sheet_t *read_file(sheets_o *sheets, const char *file, bool *is_data_file, error_info_t *error) {
  char path[1100];
  size_t bytes;
  *is_data_file = true;
  if (!sheets->assets || !assets_find(sheets->assets, file, path, sizeof path))
    return NULL;
  char *text = file_read(&sheets->allocator, path, &bytes, error);
  sheet_t *sheet = NULL;
  *is_data_file = false;
  size_t max_bytes = is_aseprite(file) ? SHEET_MAX_ASEPRITE_BYTES : SHEET_MAX_BYTES;
  if (text && bytes > max_bytes)
    error_set(error, "the file is too large: %zu KB (at most %zu KB)", bytes >> 10, max_bytes >> 10);
  else if (text && is_aseprite(file))
    sheet = read_aseprite(sheets, file, text, bytes, error);
  else if (text)
    sheet = sheet_read(&sheets->allocator, text, bytes, is_data_file, error);
  if (text)
    file_free(&sheets->allocator, text, bytes);
  return sheet;
}

const sheet_t *sheets_find_or_load(sheets_o *sheets, const char *image) {
  uint64_t hash = hash_text(image);
  for (uint32_t i = 0; i < sheets->list.count; ++i)
    if (sheets->list.items[i].hash == hash)
      return sheets->list.items[i].sheet;
  named_sheet_t entry = {.hash = hash, .file = format_sheet_path(image)};
  error_info_t error = {0};
  char requester[400];
  bool is_data_file = true;
  if (entry.file)
    entry.sheet = read_file(sheets, entry.file, &is_data_file, &error);
  entry.is_invalid = !entry.sheet && !is_data_file;
  if (entry.is_invalid)
    log_error(sheets->log, "cannot load %s, the sheet of %s: %s%s", entry.file, image, error.text,
              assets_format_requester(sheets->assets, image, requester, sizeof requester));
  array_push(&sheets->allocator, &sheets->list, entry);
  return entry.sheet;
}

bool sheets_is_invalid(const sheets_o *s, const char *image) {
  uint64_t hash = hash_text(image);
  for (uint32_t i = 0; i < s->list.count; ++i)
    if (s->list.items[i].hash == hash)
      return s->list.items[i].is_invalid;
  return false;
}

bool sheets_find_clip_problem(sheets_o *s, const char *image, const char *clip, char out[SHEETS_PROBLEM_BYTES]) {
  char hint[NEAREST_NAME_MAX_BYTES + 32], clips[400];
  const sheet_t *sheet = sheets_find_or_load(s, image);
  bool is_strip = !sheet && clip[0] == '\0';
  if (is_strip || (sheet && sheet_find_clip(sheet, clip, hint, sizeof hint)) || image[0] == '\0' ||
      sheets_is_invalid(s, image) || !sheets_record_warning(s, hash_bytes(clip, strlen(clip), hash_text(image))))
    return false;
  if (sheet)
    snprintf(out, SHEETS_PROBLEM_BYTES, "the sheet of %.256s (%s) has no clip %.128s%s", image,
             sheet_list_clips(sheet, clips, sizeof clips), clip, hint);
  else
    snprintf(out, SHEETS_PROBLEM_BYTES,
             "cannot play clip %.128s, because %.256s has no valid sheet: add a sheet with the image's name and the "
             "extension .json",
             clip, image);
  return true;
}

asset_fate_t sheets_reload(sheets_o *sheets, const char *name, error_info_t *error) {
  asset_fate_t fate = ASSET_UNUSED;
  for (uint32_t i = 0; i < sheets->list.count; ++i) {
    named_sheet_t *entry = &sheets->list.items[i];
    bool is_data_file;
    if (!entry->file || strcmp(entry->file, name) != 0)
      continue;
    sheet_t *sheet = read_file(sheets, name, &is_data_file, error);
    if (!sheet && !is_data_file)
      return ASSET_KEPT;
    if (sheet || entry->sheet)
      fate = ASSET_RELOADED;
    sheet_destroy(entry->sheet);
    entry->sheet = sheet;
    entry->is_invalid = false;
    sheets->logged.count = 0;
  }
  return fate;
}
