// Fills the error card from a report and the source around the failing line.
#include "overlay/error_card.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

// --- content

static void copy_truncated(char *out, size_t out_bytes, const char *text) {
  size_t length = strlen(text), max_length = out_bytes - 1;
  memcpy(out, text, length < max_length ? length : max_length);
  out[length < max_length ? length : max_length] = 0;
  if (length > max_length) // the text may be cut inside a character
    out[utf8_character_start(text, max_length)] = 0;
}

// Copies a source line for display: a tab advances to the next even column.
static void copy_source(char *out, size_t out_bytes, const char *text, const char *end) {
  size_t length = 0;
  for (; text < end && length + 3 < out_bytes; ++text) {
    if (*text == '\t') {
      out[length++] = ' ';
      if (length % 2)
        out[length++] = ' ';
    } else if (*text != '\r') {
      out[length++] = *text;
    }
  }
  out[length] = 0;
  if (text < end) { // the line was cut, possibly inside a character
    size_t last_start = utf8_character_start(out, length > 0 ? length - 1 : 0);
    if (utf8_character_length(out + last_start) == 0)
      out[last_start] = 0;
  }
}

// Returns true if the path may lead out of the game's folder. Files outside the folder are not shown, because scripts
// can raise errors that name any file.
static bool is_outside_folders(const char *file) {
  return path_is_rooted(file) || strstr(file, "..") != NULL;
}

static char *read_source(allocator_t *allocator, const script_report_t *report, const char *game_folder,
                         const char *engine_folder, size_t *bytes) {
  char path[FILE_PATH_BYTES];
  const char *folders[] = {game_folder, engine_folder}, *file = report->file;
  char *report_text =
      report->path[0] && file_exists(report->path) ? file_read(allocator, report->path, bytes, NULL) : NULL;
  if (report_text)
    return report_text;
  for (size_t i = 0; i < 2; ++i) {
    path_join(path, sizeof path, folders[i], file);
    char *text = file_exists(path) ? file_read(allocator, path, bytes, NULL) : NULL;
    if (text)
      return text;
  }
  // Engine files are named relative to the parent of their folder ("shoal/world/world.lua").
  if (strncmp(file, "shoal/", 6) != 0)
    return NULL;
  path_join(path, sizeof path, engine_folder, file + 6);
  return file_exists(path) ? file_read(allocator, path, bytes, NULL) : NULL;
}

static void add_source(error_card_t *card, const script_report_t *report, const char *game_folder,
                       const char *engine_folder) {
  allocator_t memory = {0};
  size_t bytes = 0;
  if (!report->file[0] || report->line <= 0 || is_outside_folders(report->file))
    return;
  char *text = read_source(&memory, report, game_folder, engine_folder, &bytes);
  if (!text)
    return;
  const char *line_start = text, *end = text + bytes;
  for (int number = 1; line_start < end && number <= report->line + ERROR_CARD_CONTEXT_LINES; ++number) {
    const char *newline = memchr(line_start, '\n', (size_t)(end - line_start));
    const char *line_end = newline ? newline : end;
    if (number >= report->line - ERROR_CARD_CONTEXT_LINES) {
      error_card_line_t *line = &card->lines[card->line_count++];
      *line = (error_card_line_t){.number = number, .failing = number == report->line};
      copy_source(line->text, sizeof line->text, line_start, line_end);
    }
    line_start = newline ? newline + 1 : end;
  }
  file_free(&memory, text, bytes);
}

const char *error_card_describe(error_card_kind_t kind) {
  static const char *const TEXTS[] = {
      [ERROR_CARD_NONE] = "error",
      [ERROR_CARD_START] = "cannot start",
      [ERROR_CARD_RELOAD] = "reload refused",
      [ERROR_CARD_RESTART] = "restart refused",
      [ERROR_CARD_RUN] = "error in",
      [ERROR_CARD_CRASH] = "crash",
  };
  shoal_assert((size_t)kind < sizeof TEXTS / sizeof *TEXTS, "unknown failure kind %d", (int)kind);
  return TEXTS[kind];
}

// The titles of refused changes must also be true for a new file, of which the running game has no version.
static void set_title(error_card_t *card, error_card_kind_t kind, const char *subject) {
  const char *text = error_card_describe(kind), *name = subject[0] ? subject : "the game";
  char *out = card->title;
  switch (kind) {
  case ERROR_CARD_START: snprintf(out, sizeof card->title, "The game %s: %s", text, name); break;
  case ERROR_CARD_RELOAD:
    snprintf(out, sizeof card->title, "%s (the game runs without this change): %s", text, name);
    break;
  case ERROR_CARD_RESTART: snprintf(out, sizeof card->title, "%s (the game keeps running): %s", text, name); break;
  case ERROR_CARD_CRASH: snprintf(out, sizeof card->title, "The game continues without %s, which crashed", name); break;
  default: snprintf(out, sizeof card->title, "Stopped by an error: %s", name); break;
  }
  if (out[0] == 'r') // "Reload refused", "Restart refused"
    out[0] = 'R';
}

void error_card_append(error_card_t *card, const script_report_t *report) {
  char line[1400], report_line[1520];
  card->total++;
  if (card->other_count == ERROR_CARD_MAX_REPORTS - 1)
    return;
  script_report_format_line(report, line, sizeof line);
  snprintf(report_line, sizeof report_line, "%s   %s", report->piece, line);
  copy_truncated(card->other_reports[card->other_count], sizeof card->other_reports[0], report_line);
  card->other_count++;
}

void error_card_add(error_card_t *card, error_card_kind_t kind, const script_report_t *report, const char *game_folder,
                    const char *engine_folder) {
  shoal_assert(kind != ERROR_CARD_NONE && report, "kind and report must be set");
  if (kind == ERROR_CARD_RUN && (card->kind == ERROR_CARD_RUN || card->kind == ERROR_CARD_CRASH)) {
    card->hidden = false;
    error_card_append(card, report);
    return;
  }
  *card = (error_card_t){.kind = kind, .total = 1};
  set_title(card, kind, report->piece);
  copy_truncated(card->message, sizeof card->message, report->message);
  if (report->file[0] && report->line > 0)
    snprintf(card->location, sizeof card->location, "%s:%d", report->file, report->line);
  else
    snprintf(card->location, sizeof card->location, "%s", report->file);
  static const char *const HINTS[] = {[ERROR_CARD_NONE] = "",
                                      [ERROR_CARD_START] = "Fix the file and save it: the game will start",
                                      [ERROR_CARD_RELOAD] = "Fix the file and save it: the change will apply",
                                      [ERROR_CARD_RESTART] = "Fix the file and save it: Ctrl+F5 tries again",
                                      [ERROR_CARD_RUN] = "Fix the file and save it: the code will run again",
                                      [ERROR_CARD_CRASH] = "Fix the plugin and rebuild it: it will be loaded again"};
  snprintf(card->hint, sizeof card->hint, "%s.   F8 hides this card.", HINTS[kind]);
  snprintf(card->about, sizeof card->about, "%s%s%s%s", report->entity[0] ? "Current entity: " : "", report->entity,
           report->entity[0] && report->about[0] ? "\n" : "", report->about);
  add_source(card, report, game_folder, engine_folder);
}

void error_card_clear(error_card_t *card) {
  *card = (error_card_t){0};
}
