// Fills the error card from a report and the source around the failing line.
#include "overlay/error_card.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// --- content

static void copy_truncated(char *out, size_t out_bytes, const char *text) {
  size_t length = strlen(text), room = out_bytes - 1;
  memcpy(out, text, length < room ? length : room);
  out[length < room ? length : room] = 0;
  if (length > room) // the text may be cut inside a character
    out[utf8_character_start(text, room)] = 0;
}

// Copies a source line for display: a tab advances to the next even column.
static void copy_source(char *out, size_t out_bytes, const char *from, const char *end) {
  size_t n = 0;
  for (; from < end && n + 3 < out_bytes; ++from) {
    if (*from == '\t') {
      out[n++] = ' ';
      if (n % 2)
        out[n++] = ' ';
    } else if (*from != '\r') {
      out[n++] = *from;
    }
  }
  out[n] = 0;
  if (from < end) { // the line was cut, possibly inside a character
    size_t last = utf8_character_start(out, n > 0 ? n - 1 : 0);
    if (utf8_character_length(out + last) == 0)
      out[last] = 0;
  }
}

// Returns true if the path may lead out of the game's folder. Files outside the folder are not shown, because scripts
// can raise errors that name any file.
static bool is_outside_folders(const char *file) {
  return file[0] == '/' || strstr(file, "..") != NULL;
}

static char *read_source(allocator_t *a, const script_report_t *report, const char *game_folder,
                         const char *engine_folder, size_t *bytes) {
  char path[PATH_MAX];
  const char *folders[] = {game_folder, engine_folder}, *file = report->file;
  char *known = report->path[0] && file_exists(report->path) ? file_read(a, report->path, bytes, NULL) : NULL;
  if (known)
    return known;
  for (size_t i = 0; i < 2; ++i) {
    path_join(path, sizeof path, folders[i], file);
    char *text = file_exists(path) ? file_read(a, path, bytes, NULL) : NULL;
    if (text)
      return text;
  }
  // Engine files are named relative to the parent of their folder ("shoal/world/world.lua").
  if (strncmp(file, "shoal/", 6) != 0)
    return NULL;
  path_join(path, sizeof path, engine_folder, file + 6);
  return file_exists(path) ? file_read(a, path, bytes, NULL) : NULL;
}

static void add_source(error_card_t *c, const script_report_t *report, const char *game_folder,
                       const char *engine_folder) {
  allocator_t memory = {0};
  size_t bytes = 0;
  if (!report->file[0] || report->line <= 0 || is_outside_folders(report->file))
    return;
  char *text = read_source(&memory, report, game_folder, engine_folder, &bytes);
  if (!text)
    return;
  const char *at = text, *end = text + bytes;
  for (int number = 1; at < end && number <= report->line + ERROR_CARD_SOURCE_AROUND; ++number) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *line_end = newline ? newline : end;
    if (number >= report->line - ERROR_CARD_SOURCE_AROUND) {
      error_card_line_t *line = &c->lines[c->line_count++];
      *line = (error_card_line_t){.number = number, .failing = number == report->line};
      copy_source(line->text, sizeof line->text, at, line_end);
    }
    at = newline ? newline + 1 : end;
  }
  file_free(&memory, text, bytes);
}

static void set_title(error_card_t *c, error_card_kind_t kind, const char *piece) {
  const char *what = piece[0] ? piece : "the game";
  const char *words = kind == ERROR_CARD_START     ? "The game cannot start"
                      : kind == ERROR_CARD_RELOAD  ? "Change rejected: the old code keeps running"
                      : kind == ERROR_CARD_RESTART ? "Restart rejected: the game keeps running"
                                                   : "Stopped by an error";
  snprintf(c->title, sizeof c->title, "%s: %s", words, what);
}

void error_card_add(error_card_t *c, error_card_kind_t kind, const script_report_t *report, const char *game_folder,
                    const char *engine_folder) {
  shoal_assert(kind != ERROR_CARD_NONE && report, "kind and report must be set");
  if (c->kind == kind && kind == ERROR_CARD_RUN) {
    c->hidden = false;
    c->total++;
    if (c->other_count < ERROR_CARD_MAX_REPORTS - 1) {
      char line[1400], other[1520];
      script_report_format_line(report, line, sizeof line);
      snprintf(other, sizeof other, "%s   %s", report->piece, line);
      copy_truncated(c->others[c->other_count], sizeof c->others[0], other);
      c->other_count++;
    }
    return;
  }
  *c = (error_card_t){.kind = kind, .total = 1};
  set_title(c, kind, report->piece);
  copy_truncated(c->message, sizeof c->message, report->message);
  if (report->file[0] && report->line > 0)
    snprintf(c->place, sizeof c->place, "%s:%d", report->file, report->line);
  else
    snprintf(c->place, sizeof c->place, "%s", report->file);
  const char *then = kind == ERROR_CARD_START ? "the game will start"
                     : kind == ERROR_CARD_RUN ? "the code will run again"
                                              : "the change will apply";
  snprintf(c->hint, sizeof c->hint, "Fix the file and save it: %s.   F8 hides this card.",
           kind == ERROR_CARD_RESTART ? "Ctrl+F5 tries again" : then);
  snprintf(c->about, sizeof c->about, "%s%s%s%s", report->entity[0] ? "Current entity: " : "", report->entity,
           report->entity[0] && report->about[0] ? "\n" : "", report->about);
  add_source(c, report, game_folder, engine_folder);
}

void error_card_clear(error_card_t *c) {
  *c = (error_card_t){0};
}
