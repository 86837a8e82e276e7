// Error card and toasts: their texts and their extent on the screen.
#include "overlay/overlay.h"
#include "render/render.h"

#include "draw_fixture.h"
#include "temporary_folder.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct fixture_t {
  char game[64];
  platform_o *platform;
  assets_t assets;
  render_o *render;
  draw_o *draw;
  error_card_t card;
  toasts_t toasts;
} fixture_t;

SETUP(fixture_t, d) {
  temporary_folder_create(d->game, sizeof d->game, "card");
  d->platform = platform_create(&(platform_desc_t){.headless = true, .width = 1280, .height = 720}, NULL);
  snprintf(d->assets.engine, sizeof d->assets.engine, "assets");
  d->render = render_create(
      &(render_desc_t){.platform = d->platform, .assets = &d->assets, .width = 1280, .height = 720}, NULL);
  d->draw = draw_create();
}

TEARDOWN(fixture_t, d) {
  draw_destroy(d->draw);
  render_destroy(d->render);
  platform_destroy(d->platform);
  temporary_folder_remove(d->game);
}

// Draws the card and the toasts at a screen size. Returns the y coordinate of the card's top, or the screen's height if
// there is no card.
static float draw_card(fixture_t *d, float width, float height) {
  draw_clear(d->draw);
  static const latch_t NO_INPUT;
  scrub_bar_t no_bar = {.visible = false};
  overlay_desc_t desc = {
      .card = &d->card, .toasts = &d->toasts, .bar = &no_bar, .pointer = &NO_INPUT, .width = width, .height = height};
  return overlay_draw(&desc, d->draw, render_typesetter(d->render));
}

static script_report_t make_report(const char *file, int line, const char *message) {
  script_report_t r = {.piece = "system movement", .line = line};
  snprintf(r.file, sizeof r.file, "%s", file);
  snprintf(r.message, sizeof r.message, "%s", message);
  return r;
}

TEST_IN(error_card_shows_the_lines_around_the_error, fixture_t, d) {
  temporary_folder_write(d->game, "movement.lua", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n");
  script_report_t r = make_report("movement.lua", 5, "attempt to index a nil value");
  error_card_add(&d->card, ERROR_CARD_RUN, &r, d->game, "");
  assert_int_equal(d->card.line_count, 7);
  assert_int_equal(d->card.lines[0].number, 2);
  assert_string_equal(d->card.lines[0].text, "two");
  assert_true(d->card.lines[3].failing);
  assert_string_equal(d->card.lines[3].text, "five");
  assert_false(d->card.lines[4].failing);
  assert_string_equal(d->card.location, "movement.lua:5");
  assert_string_equal(d->card.message, "attempt to index a nil value");
  assert_non_null(strstr(d->card.title, "system movement"));
  assert_non_null(strstr(d->card.hint, "F8"));
}

// The file of a refused change may be new, so the title must not mention earlier code.
TEST_IN(title_of_a_refused_change_uses_the_wording_of_the_log, fixture_t, d) {
  script_report_t r = make_report("movement.lua", 1, "x");
  error_card_add(&d->card, ERROR_CARD_RELOAD, &r, d->game, "");
  assert_string_equal(d->card.title, "Reload refused (the game runs without this change): system movement");
  assert_string_equal(d->card.title + 1, strstr(d->card.title, error_card_describe(ERROR_CARD_RELOAD) + 1));
  error_card_add(&d->card, ERROR_CARD_RESTART, &r, d->game, "");
  assert_string_equal(d->card.title, "Restart refused (the game keeps running): system movement");
}

TEST_IN(error_card_shows_fewer_lines_at_the_file_ends, fixture_t, d) {
  temporary_folder_write(d->game, "movement.lua", "one\ntwo\nthree\nfour\nfive");
  script_report_t r = make_report("movement.lua", 1, "x");
  error_card_add(&d->card, ERROR_CARD_RELOAD, &r, d->game, "");
  assert_int_equal(d->card.line_count, 4);
  assert_true(d->card.lines[0].failing);
  r.line = 5;
  error_card_add(&d->card, ERROR_CARD_RELOAD, &r, d->game, "");
  assert_int_equal(d->card.line_count, 4);
  assert_string_equal(d->card.lines[3].text, "five");
  assert_true(d->card.lines[3].failing);
}

TEST_IN(error_card_shows_no_source_for_a_missing_line, fixture_t, d) {
  temporary_folder_write(d->game, "movement.lua", "one\n");
  script_report_t r = make_report("gone.lua", 3, "x");
  error_card_add(&d->card, ERROR_CARD_RELOAD, &r, d->game, "");
  assert_int_equal(d->card.line_count, 0);
  r = make_report("movement.lua", 900, "x");
  error_card_add(&d->card, ERROR_CARD_RELOAD, &r, d->game, "");
  assert_int_equal(d->card.line_count, 0);
  r = make_report("", 0, "x");
  error_card_add(&d->card, ERROR_CARD_RELOAD, &r, d->game, "");
  assert_int_equal(d->card.line_count, 0);
  assert_string_equal(d->card.location, "");
}

TEST_IN(error_card_shows_the_source_of_an_addon_in_a_different_folder, fixture_t, d) {
  temporary_folder_write(d->game, "turn.lua", "one\ntwo\nthree\n");
  script_report_t r = make_report("addons/foes/systems/turn.lua", 2, "x");
  error_card_add(&d->card, ERROR_CARD_RUN, &r, "/nowhere", "");
  assert_int_equal(d->card.line_count, 0);
  error_card_clear(&d->card);
  snprintf(r.path, sizeof r.path, "%s/turn.lua", d->game);
  error_card_add(&d->card, ERROR_CARD_RUN, &r, "/nowhere", "");
  assert_int_equal(d->card.line_count, 3);
  assert_string_equal(d->card.lines[1].text, "two");
  assert_string_equal(d->card.location, "addons/foes/systems/turn.lua:2");
}

TEST_IN(error_card_shows_no_source_outside_the_game_folder, fixture_t, d) {
  char above[128];
  temporary_folder_write(d->game, "secret.lua", "one\ntwo\n");
  snprintf(above, sizeof above, "../%.64s/secret.lua", strrchr(d->game, '/') + 1);
  script_report_t r = make_report(above, 1, "what a script says itself");
  error_card_add(&d->card, ERROR_CARD_RUN, &r, d->game, "");
  assert_int_equal(d->card.line_count, 0);
}

TEST_IN(error_card_expands_tabs_and_truncates_long_lines, fixture_t, d) {
  char text[1000] = "\tif x then\r\n";
  size_t n = strlen(text);
  for (int i = 0; i < 200; ++i, n += 2)
    memcpy(text + n, "ä", 3); // text must not be cut between the two bytes of a character
  temporary_folder_write(d->game, "movement.lua", text);
  script_report_t r = make_report("movement.lua", 1, "x");
  error_card_add(&d->card, ERROR_CARD_RELOAD, &r, d->game, "");
  assert_string_equal(d->card.lines[0].text, "  if x then");
  size_t length = strlen(d->card.lines[1].text);
  assert_true(length > 100 && length < sizeof d->card.lines[1].text);
  assert_int_equal(length % 2, 0);
}

TEST_IN(error_card_lists_and_counts_later_errors, fixture_t, d) {
  script_report_t r = make_report("a.lua", 1, "first");
  error_card_add(&d->card, ERROR_CARD_RUN, &r, d->game, "");
  for (int i = 0; i < 20; ++i) {
    r = make_report("b.lua", i + 1, "later");
    error_card_add(&d->card, ERROR_CARD_RUN, &r, d->game, "");
  }
  assert_string_equal(d->card.message, "first");
  assert_int_equal(d->card.total, 21);
  assert_int_equal(d->card.other_count, ERROR_CARD_MAX_REPORTS - 1);
  assert_non_null(strstr(d->card.other_reports[0], "b.lua:1: later"));
}

TEST_IN(failed_reload_replaces_the_shown_error, fixture_t, d) {
  script_report_t r = make_report("a.lua", 1, "first");
  error_card_add(&d->card, ERROR_CARD_RUN, &r, d->game, "");
  d->card.hidden = true;
  r = make_report("b.lua", 2, "second");
  error_card_add(&d->card, ERROR_CARD_RELOAD, &r, d->game, "");
  assert_string_equal(d->card.message, "second");
  assert_int_equal(d->card.total, 1);
  assert_false(d->card.hidden);
}

TEST_WITH(error_log_line_names_file_and_line, fixture_t) {
  char line[200];
  script_report_t r = make_report("systems/a.lua", 12, "no such thing");
  script_report_format_line(&r, line, sizeof line);
  assert_string_equal(line, "systems/a.lua:12: no such thing");
  r.line = 0;
  script_report_format_line(&r, line, sizeof line);
  assert_string_equal(line, "systems/a.lua: no such thing");
  r.file[0] = 0;
  script_report_format_line(&r, line, sizeof line);
  assert_string_equal(line, "no such thing");
}

TEST_IN(error_card_stays_in_the_lower_45_percent_of_the_screen, fixture_t, d) {
  char message[900];
  memset(message, 'm', sizeof message);
  for (size_t i = 9; i < sizeof message; i += 10)
    message[i] = ' ';
  message[sizeof message - 1] = 0;
  temporary_folder_write(d->game, "movement.lua", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n");
  script_report_t r = make_report("movement.lua", 5, message);
  for (int i = 0; i < 5; ++i)
    error_card_add(&d->card, ERROR_CARD_RUN, &r, d->game, "");
  static const float sizes[][2] = {{1280, 720}, {320, 180}, {720, 1280}, {2560, 1080}, {64, 64}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    float top = draw_card(d, sizes[i][0], sizes[i][1]);
    assert_true(top >= sizes[i][1] * 0.55f && top < sizes[i][1]);
    assert_true(draw_count(d->draw) > 10);
  }
}

TEST_IN(hidden_or_empty_error_card_draws_nothing, fixture_t, d) {
  assert_true(draw_card(d, 1280, 720) == 720.0f);
  script_report_t r = make_report("a.lua", 1, "x");
  error_card_add(&d->card, ERROR_CARD_RUN, &r, d->game, "");
  d->card.hidden = true;
  assert_true(draw_card(d, 1280, 720) == 720.0f);
  assert_int_equal(draw_count(d->draw), 0);
  assert_true(draw_card(d, 1280, 720) == 720.0f);
  assert_int_equal(draw_count(d->draw), 0);
  error_card_clear(&d->card);
  assert_int_equal(d->card.kind, ERROR_CARD_NONE);
}

TEST_IN(toasts_of_a_kind_are_removed_in_order, fixture_t, d) {
  toasts_t *t = &((fixture_t *)d)->toasts;
  toast_add(t, TOAST_RELOAD, "Reloaded a.lua");
  toast_add(t, TOAST_PLAIN, "Saved slot 1");
  toast_add(t, TOAST_RELOAD, "Reloaded b.lua");
  toast_add(t, TOAST_BAD, "Rewind");
  toast_remove_kind(t, TOAST_RELOAD);
  assert_int_equal(t->count, 2);
  assert_string_equal(t->items[0].text, "Saved slot 1");
  assert_string_equal(t->items[1].text, "Rewind");
  toast_remove_kind(t, TOAST_RELOAD);
  assert_int_equal(t->count, 2);
}

TEST_IN(toasts_expire_and_the_oldest_is_replaced, fixture_t, d) {
  toasts_t *t = &d->toasts;
  for (int i = 0; i < TOAST_MAX_COUNT + 2; ++i)
    toast_add(t, TOAST_GOOD, "toast %d", i);
  assert_int_equal(t->count, TOAST_MAX_COUNT);
  assert_string_equal(t->items[0].text, "toast 2");
  toast_advance(t, 1.0f);
  toast_add(t, TOAST_PLAIN, "late");
  assert_true(draw_card(d, 1280, 720) == 720.0f);
  assert_int_equal(draw_count(d->draw), 4 * TOAST_MAX_COUNT); // a toast has four commands: box, line, stripe, text
  toast_advance(t, TOAST_DURATION_S - 0.5f);
  assert_int_equal(t->count, 1);
  assert_string_equal(t->items[0].text, "late");
  toast_advance(t, TOAST_DURATION_S);
  assert_int_equal(t->count, 0);
  draw_card(d, 1280, 720);
  assert_int_equal(draw_count(d->draw), 0);
}

TEST_IN(scrub_bar_covers_only_a_thin_strip_at_either_edge, fixture_t, d) {
  static const latch_t NO_INPUT;
  static const float accent[4] = {1, 1, 1, 1};
  const float strip = 20;
  for (int is_top = 0; is_top < 2; ++is_top) {
    scrub_bar_t bar = {
        .visible = true, .last_tick = 100, .tick = 50, .tick_rate = 60, .is_top = is_top != 0, .accent = accent};
    draw_clear(d->draw);
    overlay_desc_t desc = {
        .card = &d->card, .toasts = &d->toasts, .bar = &bar, .pointer = &NO_INPUT, .width = 1280, .height = 720};
    overlay_draw(&desc, d->draw, render_typesetter(d->render));
    assert_true(draw_count(d->draw) > 5);
    for (uint32_t i = 0; i < draw_count(d->draw); ++i) {
      const draw_command_t *command = &d->draw->commands.items[i];
      float y = command->y, bottom = y + (command->kind == DRAW_TEXT ? 1.2f * command->line_width : command->height);
      if (is_top ? bottom > strip : y < 720 - strip)
        fail_msg("command %u covers y = %g to %g", i, (double)y, (double)bottom);
    }
  }
}

TEST_IN(error_card_describes_the_current_entity, fixture_t, d) {
  script_report_t report = make_report("systems/a.lua", 1, "no idea");
  snprintf(report.entity, sizeof report.entity, "entity(1:0 tank)");
  snprintf(report.about, sizeof report.about, "entity(1:0 tank): author: name = \"Ann\"");
  error_card_add(&d->card, ERROR_CARD_RUN, &report, d->game, "scripts/shoal");
  assert_string_equal(d->card.about, "Current entity: entity(1:0 tank)\nentity(1:0 tank): author: name = \"Ann\"");
}
