// Localized strings of a match, and the texts for refusals and closed connections.
#include "host/match_text.h"

#include "base/utf8.h"
#include "host/host_internal.h"
#include "script/script.h"
#include "ui/ui.h"

#include <stdio.h>
#include <string.h>

#define MAX_ARGUMENTS (2u * MATCH_TEXT_VALUES)

// --- strings

// Fills in names and values as arguments for the scripts. A value, such as a player's name, must not refer to a string
// of the game.
static uint32_t list_arguments(const match_text_t *text, char values[MATCH_TEXT_VALUES][MATCH_TEXT_BYTES],
                               const char *out[MAX_ARGUMENTS]) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < MATCH_TEXT_VALUES && text->values[i].name; ++i) {
    const match_value_t *value = &text->values[i];
    bool is_reference = value->text[0] == '@' && strncmp(value->text, "@shoal.", 7) != 0;
    (void)snprintf(values[i], MATCH_TEXT_BYTES, "%s%s", is_reference ? " " : "", value->text);
    out[count++] = value->name;
    out[count++] = values[i];
  }
  return count;
}

// Returns the key of the string that replaces `key` in a served world, which has rooms instead of a host. Returns `key`
// if no string replaces it.
static const char *find_world_key(const char *key) {
  static const char *const KEYS[][2] = {{"match_silent", "world_silent"},
                                        {"match_paused", "world_paused"},
                                        {"match_ended", "world_ended"},
                                        {"match_only_host_pauses", "world_pauses"},
                                        {"match_only_host_restarts", "world_restarts"},
                                        {"match_differs", "world_differs"},
                                        {"match_joining", "world_joining"},
                                        {"match_lookup", "world_lookup"},
                                        {"match_loading", "world_loading"},
                                        {"match_disconnected", "world_disconnected"},
                                        {"match_failed", "world_failed"},
                                        {"refused_full", "world_full"},
                                        {"join_no_answer", "world_no_answer"},
                                        {"join_new_key", "world_new_key"},
                                        {"join_wrong_key", "world_wrong_key"},
                                        {"join_memory", "world_memory"},
                                        {"join_budget", "world_budget"},
                                        {"refused_version", "world_version"},
                                        {"refused_plugins", "world_plugins"},
                                        {"refused_game", "world_game"},
                                        {"refused_files", "world_files"},
                                        {"refused_unknown", "world_unknown"},
                                        {"refused_removed", "world_removed"},
                                        {"refused_banned", "world_banned"},
                                        {"closed_by_host", "world_closed"}};
  for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; ++i)
    if (strcmp(key, KEYS[i][0]) == 0)
      return KEYS[i][1];
  return key;
}

static const char *format(const host_o *h, const match_text_t *text, bool is_english, char *out) {
  char values[MATCH_TEXT_VALUES][MATCH_TEXT_BYTES], reference[4 * MATCH_TEXT_BYTES];
  const char *arguments[MAX_ARGUMENTS];
  const game_o *g = h->session.game;
  uint32_t count = list_arguments(text, values, arguments);
  const char *key = h->session.options.world ? find_world_key(text->key) : text->key;
  if (!g || !vm_format_string(g->vm, key, is_english, arguments, count, reference, sizeof reference)) {
    // Shows the key if the game is not running or lacks the string.
    (void)snprintf(out, MATCH_TEXT_BYTES, "%s", key);
    return out;
  }
  (void)snprintf(out, MATCH_TEXT_BYTES, "%.*s", (int)MATCH_TEXT_BYTES - 1,
                 reference[0] == '@' ? ui_resolve_string(g->world, reference) : reference);
  return out;
}

const char *match_text_format(const host_o *h, const match_text_t *text, char *out) {
  return format(h, text, false, out);
}

const char *match_text_format_english(const host_o *h, const match_text_t *text, char *out) {
  return format(h, text, true, out);
}

char *match_text_write(const host_o *h, const match_text_t *text, char *out, size_t bytes) {
  char formatted[MATCH_TEXT_BYTES];
  size_t length = strlen(match_text_format(h, text, formatted));
  (void)snprintf(out, bytes, "%.*s", (int)(length < bytes ? length : utf8_character_start(formatted, bytes - 1)),
                 formatted);
  return out;
}

// --- closed connections

static const char *const CLOSE_REASONS[] = {
    [MATCH_CLOSE_NONE] = "@shoal.close_stalled",        [MATCH_CLOSE_MALFORMED] = "@shoal.close_malformed",
    [MATCH_CLOSE_SNAPSHOT] = "@shoal.close_snapshot",   [MATCH_CLOSE_RECORDS] = "@shoal.close_records",
    [MATCH_CLOSE_CODE] = "@shoal.close_code",           [MATCH_CLOSE_STALLED] = "@shoal.close_stalled",
    [MATCH_CLOSE_SLOW] = "@shoal.close_slow",           [MATCH_CLOSE_DESYNCS] = "@shoal.close_desyncs",
    [MATCH_CLOSE_UNABLE] = "@shoal.close_unable",       [MATCH_CLOSE_REMOVED] = "@shoal.refused_removed",
    [MATCH_CLOSE_BANNED] = "@shoal.refused_banned",     [MATCH_CLOSE_MOVED] = "@shoal.close_moved",
    [MATCH_CLOSE_ELSEWHERE] = "@shoal.close_elsewhere",
};
_Static_assert(sizeof CLOSE_REASONS / sizeof *CLOSE_REASONS == MATCH_CLOSE_COUNT, "a reason has no text");

const char *match_text_get_close_reason(match_close_t reason) {
  return CLOSE_REASONS[reason];
}

void match_text_describe_close(const match_end_t *end, match_failure_t *out) {
  *out = (match_failure_t){.text = {end->is_by_host ? "closed_by_host" : "closed_here",
                                    {{"reason", match_text_get_close_reason(end->close)}}}};
  if (end->is_by_host && match_close_is_removal(end->close))
    out->text = (match_text_t){end->close == MATCH_CLOSE_BANNED ? "refused_banned" : "refused_removed", {{0}}};
  (void)snprintf(out->details, sizeof out->details, "%s", end->details);
}

// --- refusals

static const char *const REFUSAL_KEYS[] = {
    [MATCH_REFUSAL_NONE] = "refused_unknown",
    [MATCH_REFUSAL_VERSION] = "refused_version",
    [MATCH_REFUSAL_ARITHMETIC] = "refused_arithmetic",
    [MATCH_REFUSAL_PLUGINS] = "refused_plugins",
    [MATCH_REFUSAL_FILES] = "refused_game",
    [MATCH_REFUSAL_CHANGED] = "refused_changed",
    [MATCH_REFUSAL_FULL] = "refused_full",
    [MATCH_REFUSAL_OVER] = "refused_over",
    [MATCH_REFUSAL_DECLINED] = "refused_declined",
    [MATCH_REFUSAL_REMOVED] = "refused_removed",
    [MATCH_REFUSAL_BANNED] = "refused_banned",
    [MATCH_REFUSAL_PASSWORD] = "refused_password",
    [MATCH_REFUSAL_TOO_MANY_TRIES] = "refused_tries",
    [MATCH_REFUSAL_RESERVED] = "refused_reserved",
    [MATCH_REFUSAL_ROOM] = "refused_unknown",
    [MATCH_REFUSAL_ROOM_STARTS] = "refused_room_starts",
    [MATCH_REFUSAL_NO_ROOM] = "refused_no_room",
    [MATCH_REFUSAL_ROOM_CLOSED] = "refused_room_closed",
    [MATCH_REFUSAL_ROOM_FAILED] = "refused_room_failed",
    [MATCH_REFUSAL_WORLD] = "refused_world",
    [MATCH_REFUSAL_NO_ACCOUNT] = "refused_no_account",
    [MATCH_REFUSAL_CODE] = "refused_code",
    [MATCH_REFUSAL_MANY_ACCOUNTS] = "refused_many_accounts",
    [MATCH_REFUSAL_ACCOUNT_BANNED] = "refused_account_banned",
    [MATCH_REFUSAL_ELSEWHERE] = "refused_elsewhere",
    [MATCH_REFUSAL_OWNS_TOO_MUCH] = "refused_owns_too_much",
    [MATCH_REFUSAL_TAKEN] = "refused_taken",
    [MATCH_REFUSAL_OLD_ROOM] = "refused_old_room",
};
_Static_assert(sizeof REFUSAL_KEYS / sizeof *REFUSAL_KEYS == MATCH_REFUSAL_COUNT, "a reason has no text");

static void describe_files(const match_refusal_t *refusal, const file_hashes_o *files, bool is_world,
                           match_failure_t *out) {
  char names[FILE_DIFFERENCES][FILE_NAME_BYTES];
  size_t length = 0;
  uint32_t count = file_hashes_find_differences(files, refusal->files, refusal->file_bytes, names);
  for (uint32_t i = 0; i < count; ++i)
    length += (size_t)snprintf(out->value + length, sizeof out->value - length, "%s%s", i > 0 ? ", " : "", names[i]);
  if (count == 0)
    return;
  out->text = (match_text_t){"refused_files", {{"files", out->value}}};
  (void)snprintf(out->details, sizeof out->details, "%s has different files: %s", match_host_title(is_world),
                 out->value);
}

static void describe_room(const match_refusal_t *refusal, match_failure_t *out) {
  (void)snprintf(out->value, sizeof out->value, "%s", refusal->texts[0]);
  out->text.values[0] = (match_value_t){"name", out->value};
}

static void describe_missing_room(const match_refusal_t *refusal, match_failure_t *out) {
  describe_room(refusal, out);
  if (refusal->texts[1][0])
    (void)snprintf(out->details, sizeof out->details, "the world has no room %s: did you mean --room %s?",
                   refusal->texts[0], refusal->texts[1]);
  else
    (void)snprintf(out->details, sizeof out->details, "the world has no room %s: join without --room",
                   refusal->texts[0]);
}

static void describe_old_room(const match_refusal_t *refusal, match_failure_t *out) {
  describe_room(refusal, out);
  (void)snprintf(out->details, sizeof out->details, "room %s: what the account owns needs %s", refusal->texts[0],
                 refusal->texts[1]);
}

static void describe_ban(const match_refusal_t *refusal, match_failure_t *out) {
  (void)snprintf(out->value, sizeof out->value, "%u", refusal->value / 3600 + (refusal->value % 3600 != 0));
  (void)snprintf(out->details, sizeof out->details, "%s", refusal->texts[0]);
  out->text.values[1] = (match_value_t){"reason", out->details};
}

// Writes a line for developers about a refusal. Leaves `out` unchanged if the host runs a different version, or has
// sent an unknown number.
static void explain(const match_refusal_t *refusal, const match_identity_t *own, bool is_world, char *out,
                    size_t bytes) {
  const char *title = match_host_title(is_world);
  if (match_identity_explain(refusal, own, title, out, bytes) || refusal->number == MATCH_REFUSAL_VERSION)
    return;
  if (refusal->number == MATCH_REFUSAL_CHANGED)
    (void)snprintf(out, bytes, "start this machine with --share-code");
  else if (refusal->number == MATCH_REFUSAL_FULL)
    (void)snprintf(out, bytes, "at most %u players and %u connections", refusal->value, MATCH_MAX_CONNECTIONS);
  else if (refusal->number < MATCH_REFUSAL_COUNT)
    (void)snprintf(out, bytes, "%s: %s", title, match_refusal_get_details((match_refusal_kind_t)refusal->number));
}

void match_text_describe_refusal(const match_end_t *end, const match_identity_t *own, const file_hashes_o *files,
                                 bool is_world, match_failure_t *out) {
  const match_refusal_t *refusal = &end->refusal;
  bool is_known = refusal->number < MATCH_REFUSAL_COUNT;
  *out =
      (match_failure_t){.text = {REFUSAL_KEYS[is_known ? refusal->number : MATCH_REFUSAL_NONE], {{"n", out->value}}}};
  (void)snprintf(out->value, sizeof out->value, "%u", is_known ? refusal->value : refusal->number);
  (void)snprintf(out->details, sizeof out->details, "%s", end->details);
  explain(refusal, own, is_world, out->details, sizeof out->details);
  if (refusal->number == MATCH_REFUSAL_FILES)
    describe_files(refusal, files, is_world, out);
  else if (refusal->number == MATCH_REFUSAL_NO_ROOM)
    describe_missing_room(refusal, out);
  else if (refusal->number == MATCH_REFUSAL_ACCOUNT_BANNED)
    describe_ban(refusal, out);
  else if (refusal->number == MATCH_REFUSAL_MANY_ACCOUNTS)
    (void)snprintf(out->value, sizeof out->value, "%u", (refusal->value + 59) / 60);
  else if (refusal->number == MATCH_REFUSAL_ELSEWHERE)
    describe_room(refusal, out);
  else if (refusal->number == MATCH_REFUSAL_OLD_ROOM)
    describe_old_room(refusal, out);
}
