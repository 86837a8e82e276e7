// Finds displayed texts that do not come from strings/. tests/scenarios/walk.sh marks all strings of the game, its
// add-ons and Shoal, except the values that replace their placeholders.
#include "walk.h"

#include "base/hash.h"
#include "platform/input.h"
#include "render/draw_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MARK_BEGIN "\xe2\x81\xa3" // U+2063, invisible
#define MARK_END "\xe2\x81\xa4"   // U+2064, invisible
#define MARK_BYTES 3u
#define MAX_WORDS 160u

static bool contains(const hash_table_t *t, uint64_t hash) {
  uint32_t cursor = 0;
  return hash_table_find_next(t, hash, &cursor) != 0;
}

static void list_labels(walk_t *w) {
  static const input_device_t DEVICES[] = {INPUT_KEY, INPUT_MOUSE_BUTTON, INPUT_WHEEL, INPUT_PAD_BUTTON,
                                           INPUT_PAD_AXIS};
  char label[INPUT_NAME_BYTES];
  for (size_t device = 0; device < sizeof DEVICES / sizeof *DEVICES; ++device)
    for (int32_t code = 0; code < INPUT_KEYS; ++code)
      for (int part = 0; part < 12; ++part) {
        input_binding_t b = {.device = DEVICES[device], .code = code, .sign = (float)(part % 3 - 1)};
        uint64_t hash = hash_text(input_label(&b, (input_pad_kind_t)(part / 3), false, label));
        if (!contains(&w->labels, hash))
          hash_table_insert(&w->labels, &w->memory, hash, 1);
      }
}

// Returns true for the label of a key or a button.
static bool is_label(walk_t *w, const char *word) {
  if (w->labels.count == 0)
    list_labels(w);
  return contains(&w->labels, hash_text(word));
}

// Returns true for up to four capital letters, such as "WASD" and "A D", which are labels of keys or the letters of a
// title.
static bool is_letters(const char *word) {
  size_t letters = 0;
  for (; *word; ++word) {
    if (!isupper((unsigned char)*word) && *word != ' ')
      return false;
    letters += *word != ' ';
  }
  return letters <= 4;
}

static bool is_allowed(walk_t *w, const char *word) {
  static const char *const LANGUAGES[] = {"English", "Deutsch", "Français"}; // each has its own name in all languages
  for (size_t i = 0; i < sizeof LANGUAGES / sizeof *LANGUAGES; ++i)
    if (strcmp(word, LANGUAGES[i]) == 0)
      return true;
  return is_letters(word) || strcasecmp(word, w->title) == 0 || is_label(w, word);
}

static bool is_separator(char c) {
  return !isalnum((unsigned char)c) && (unsigned char)c < 0x80 && c != ' ' && c != '\'' && c != '-';
}

// Checks the words between two separators or marks.
static void check_words(walk_t *w, const char *text, const char *begin, size_t bytes) {
  char word[MAX_WORDS], message[2 * MAX_WORDS + 96];
  bool has_letter = false;
  while (bytes > 0 && !isalpha((unsigned char)*begin) && (unsigned char)*begin < 0x80)
    ++begin, --bytes;
  while (bytes > 0 && begin[bytes - 1] == ' ')
    --bytes;
  snprintf(word, sizeof word, "%.*s", (int)bytes, begin);
  for (const char *c = word; *c; ++c)
    has_letter |= isalpha((unsigned char)*c) != 0;
  if (!has_letter || is_allowed(w, word))
    return;
  snprintf(message, sizeof message, "\"%s\" in the text \"%.160s\" does not come from strings/", word, text);
  walk_report(w, message);
}

static void check_text(walk_t *w, const char *text) {
  const char *begin = text;
  int depth = 0;
  if (contains(&w->texts, hash_text(text)))
    return;
  hash_table_insert(&w->texts, &w->memory, hash_text(text), 1);
  for (const char *c = text;; ++c) {
    bool begins = strncmp(c, MARK_BEGIN, MARK_BYTES) == 0, ends = strncmp(c, MARK_END, MARK_BYTES) == 0;
    if (*c != '\0' && !begins && !ends && !is_separator(*c))
      continue;
    if (depth == 0)
      check_words(w, text, begin, (size_t)(c - begin));
    if (*c == '\0')
      return;
    depth += begins - ends;
    c += begins || ends ? MARK_BYTES - 1 : 0;
    begin = c + 1;
  }
}

// Checks a text of the world, which must be a reference.
static void check_reference(walk_t *w, const ui_o *ui, uint32_t id) {
  check_text(w, game_strings_resolve(ui->game_strings, strings_text(world_strings(ui->world), id)));
}

static void check_column(walk_t *w, const ui_o *ui, const char *component, const char *field) {
  const manager_o *m = world_find_manager(ui->world, component);
  int32_t column = m ? manager_find_column(m, field) : -1;
  for (uint32_t row = 0; column >= 0 && row < m->count; ++row)
    check_reference(w, ui, (uint32_t)columns_get(&m->columns, row, (uint32_t)column));
}

void strings_check_world(walk_t *w) {
  static const char *const FIELDS[][2] = {
      {"text", "value"}, {"label", "text"}, {"button", "text"},       {"slider", "text"}, {"checkbox", "text"},
      {"list", "text"},  {"bar", "text"},   {"entry", "placeholder"}, {"saying", "text"}, {"saying", "who"}};
  if (!w->title)
    return;
  const ui_o *ui = w->host->session.game->ui;
  for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; ++i)
    check_column(w, ui, FIELDS[i][0], FIELDS[i][1]);
}

void strings_check_drawn(walk_t *w) {
  const draw_o *draw = w->host->session.draw;
  for (uint32_t i = 0; w->title != NULL && i < draw->commands.count; ++i)
    if (draw->commands.items[i].kind == DRAW_TEXT)
      check_text(w, game_strings_resolve(w->host->session.game->ui->game_strings,
                                         draw_get_text(draw, draw->commands.items[i].first)));
}
