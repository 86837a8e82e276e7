// The layout of every screen that is shipped, in all its languages and in a pseudo-language with longer strings: texts
// stay in their widgets, widgets in their panels, and panels on the screen.
// slow: takes seconds under the sanitizers
#include "match_folder.h"

#include "ecs/assemblage_inspect.h"
#include "host/game_switch.h"
#include "ui/measure.h"
#include "ui/state.h"

#include <math.h>

#define PSEUDO_LENGTH 1.6 // length of a string of the pseudo-language, relative to the English string
#define TOLERANCE 1.0f    // maximum difference in logical pixels

typedef struct case_t {
  match_folder_t folder;
  char data[96];
  host_o *host;
  ui_o *ui;
  const char *game, *screen;
  bool is_pseudo;
  bool must_not_scroll; // the menus of games are visible as a whole in the languages that the game has
  uint32_t screen_count, fault_count;
  char faults[1 << 14];
} case_t;

SETUP(case_t, c) {
  match_folder_create(&c->folder);
  snprintf(c->data, sizeof c->data, "%s/data", c->folder.path);
  setenv("XDG_DATA_HOME", c->data, 1);
}

TEARDOWN(case_t, c) {
  if (c->host)
    host_destroy(c->host);
  match_folder_remove(&c->folder);
}

static game_o *get_game(const case_t *c) {
  return c->host->session.game;
}

static void run_lua(case_t *c, const char *code, char *out, size_t out_bytes) {
  script_report_t report = {0};
  if (!vm_exec(get_game(c)->vm, code, "screens", out, out_bytes, &report))
    fail_msg("%s: %s: %s", c->game, code, report.message);
}

static void start_game(case_t *c, const char *folder) {
  if (c->host)
    host_destroy(c->host);
  c->game = folder;
  c->folder.options.target = folder;
  c->host = match_folder_start(&c->folder);
  c->ui = get_game(c)->ui;
  for (int i = 0; i < 3; ++i)
    game_run(get_game(c), GAME_TICK, &(game_io_t){0});
}

// --- faults

static void report_fault(case_t *c, const ui_node_t *n, const char *fault, float excess) {
  const uint32_t *const TEXTS[UI_KIND_COUNT] = {
      [UI_LABEL] = c->ui->columns.label.text,   [UI_BUTTON] = c->ui->columns.button.text,
      [UI_SLIDER] = c->ui->columns.slider.text, [UI_CHECKBOX] = c->ui->columns.checkbox.text,
      [UI_LIST] = c->ui->columns.list.text,     [UI_ENTRY] = c->ui->columns.entry.placeholder,
      [UI_BAR] = c->ui->columns.bar.text};
  char language[16] = "", text[128] = "";
  if (TEXTS[n->kind])
    snprintf(text, sizeof text, "%s", ui_get_text(c->ui, TEXTS[n->kind][n->row]));
  run_lua(c, "tr.language()", language, sizeof language);
  size_t length = strlen(c->faults);
  c->fault_count++;
  snprintf(c->faults + length, sizeof c->faults - length, "%s, %s, %s: %s \"%s\" %s by %g px\n", c->game, c->screen,
           c->is_pseudo ? "pseudo-language" : language, ui_kind_name(n->kind), text, fault, (double)excess);
}

static void check_within(case_t *c, const ui_node_t *n, const char *fault, float excess) {
  if (excess > TOLERANCE)
    report_fault(c, n, fault, excess);
}

static void check_box(case_t *c, const ui_node_t *n) {
  float left = 0, right = c->ui->width, top = 0, bottom = c->ui->height;
  if (n->parent != UI_NO_NODE) {
    const ui_node_t *parent = &c->ui->nodes.items[n->parent];
    float padding = ui_get_padding(c->ui, parent);
    left = parent->x + padding;
    right = parent->x + parent->width - padding;
    top = n->scroller == UI_NO_NODE ? parent->y + padding : -1e6f;
    bottom = n->scroller == UI_NO_NODE ? parent->y + parent->height - padding : 1e6f;
  }
  check_within(c, n, "leaves its panel on the left", left - n->x);
  check_within(c, n, "leaves its panel on the right", n->x + n->width - right);
  check_within(c, n, "leaves its panel at the top", top - n->y);
  check_within(c, n, "leaves its panel at the bottom", n->y + n->height - bottom);
  if (c->must_not_scroll && !c->is_pseudo && n->scroller != UI_NO_NODE) {
    const ui_node_t *scroller = &c->ui->nodes.items[n->scroller];
    check_within(c, n, "is visible only after scrolling", n->y + n->height - scroller->y - scroller->height);
  }
}

static float measure_width(case_t *c, const ui_node_t *n, uint32_t text) {
  float width, height;
  ui_measure_text(c->ui, ui_get_text(c->ui, text), ui_get_look(c->ui, n), 0, &width, &height);
  return width;
}

static void check_label(case_t *c, const ui_node_t *n) {
  float width, height, line_height;
  const ui_look_t *look = ui_get_look(c->ui, n);
  ui_measure_text(c->ui, "X", look, 0, &width, &line_height);
  ui_measure_label(c->ui, n, look, 0, &width, &height);
  if (width > n->width && (c->ui->columns.label.wrap[n->row] || n->height > 1.5f * line_height))
    ui_measure_label(c->ui, n, look, n->width, &width, &height);
  else if (!c->is_pseudo)
    check_within(c, n, "is cut", width - n->width);
  bool has_fixed_height = n->widget != ROW_NONE && c->ui->columns.widget.height[n->widget] > 0;
  if (!c->is_pseudo || !has_fixed_height)
    check_within(c, n, "is too low for its lines", height - n->height);
}

// Returns the width of the widest line of a list.
static float measure_widest_line(case_t *c, const ui_node_t *n) {
  float widest = 0, width, height;
  char line[256];
  size_t bytes;
  const char *text;
  for (uint32_t i = 1; (text = ui_get_line(ui_get_text(c->ui, c->ui->columns.list.items[n->row]), i, &bytes)); ++i) {
    snprintf(line, sizeof line, "%.*s", (int)bytes, text);
    ui_measure_text(c->ui, line, ui_get_look(c->ui, n), 0, &width, &height);
    widest = fmaxf(widest, width);
  }
  return widest;
}

// Checks that the text of a control is not cut. The controls of the pseudo-language cut their texts.
static void check_control(case_t *c, const ui_node_t *n) {
  const ui_look_t *look = ui_get_look(c->ui, n);
  float inner = n->width - 2 * look->padding, left = 0, track = 0;
  if (n->kind == UI_SLIDER) {
    ui_compute_slider_track(c->ui, n, &left, &track);
    check_within(c, n, "has a short track", 0.2f * inner - track);
    inner = left - look->padding / 2 - n->x - look->padding;
  }
  if (c->is_pseudo)
    return;
  if (n->kind == UI_SLIDER) {
    check_within(c, n, "is cut", measure_width(c, n, c->ui->columns.slider.text[n->row]) - inner);
  } else if (n->kind == UI_BUTTON && c->ui->columns.button.image[n->row] == 0) {
    check_within(c, n, "is cut", measure_width(c, n, c->ui->columns.button.text[n->row]) - inner);
  } else if (n->kind == UI_CHECKBOX) {
    check_within(c, n, "is cut", measure_width(c, n, c->ui->columns.checkbox.text[n->row]) + 1.7f * look->size - inner);
  } else if (n->kind == UI_LIST && c->ui->columns.list.rows[n->row] <= 1) {
    float item_left = ui_compute_stepper_left(c->ui, n), right = n->x + n->width - look->padding;
    float label_space = item_left - 8 - n->x - look->padding;
    if (c->ui->columns.list.text[n->row])
      check_within(c, n, "is cut", measure_width(c, n, c->ui->columns.list.text[n->row]) - label_space);
    check_within(c, n, "has an item that is cut by", measure_widest_line(c, n) + 2 * look->size - right + item_left);
  } else if (n->kind == UI_ENTRY) {
    check_within(c, n, "is cut", measure_width(c, n, c->ui->columns.entry.placeholder[n->row]) - inner);
  }
}

static void lay_out_and_check(case_t *c, const char *screen) {
  c->screen = screen;
  c->screen_count++;
  ui_lay_out(c->ui);
  ui_get_columns(c->ui);
  for (uint32_t i = 0; i < c->ui->nodes.count; ++i) {
    const ui_node_t *n = &c->ui->nodes.items[i];
    check_box(c, n);
    if (n->kind == UI_LABEL && c->ui->columns.label.image[n->row] == 0)
      check_label(c, n);
    else if (n->kind > UI_LABEL)
      check_control(c, n);
  }
}

// --- the pseudo-language

// Returns the id of the text with each line 1.6 times as long, without spaces.
static uint32_t lengthen(case_t *c, uint32_t id) {
  strings_o *strings = world_strings(c->ui->world);
  char text[1024], *out = text, *end = text + sizeof text - 2;
  snprintf(text, sizeof text, "%s", ui_get_text(c->ui, id));
  char source[sizeof text];
  memcpy(source, text, sizeof text);
  for (const char *line = source; *line;) {
    size_t bytes = strcspn(line, "\n"), characters = 0;
    for (size_t i = 0; i < bytes; ++i)
      characters += ((unsigned char)line[i] & 0xc0) != 0x80;
    size_t wanted = (size_t)(PSEUDO_LENGTH * (double)characters + 0.5);
    for (size_t i = 0; i < wanted && out < end; ++i) {
      char character = line[i % bytes];
      *out++ = character == ' ' || (unsigned char)character >= 0x80 ? 'm' : character;
    }
    line += bytes + (line[bytes] == '\n');
    if (*line && out < end)
      *out++ = '\n';
  }
  *out = '\0';
  return strings_intern(strings, text);
}

static void lengthen_all(case_t *c) {
  ui_get_columns(c->ui);
  const ui_columns_t *columns = &c->ui->columns;
  uint32_t *const TEXTS[][UI_KIND_COUNT] = {
      {[UI_LABEL] = columns->label.text,
       [UI_BUTTON] = columns->button.text,
       [UI_SLIDER] = columns->slider.text,
       [UI_CHECKBOX] = columns->checkbox.text,
       [UI_LIST] = columns->list.text,
       [UI_ENTRY] = columns->entry.placeholder,
       [UI_BAR] = columns->bar.text},
      {[UI_LIST] = columns->list.items},
  };
  for (size_t field = 0; field < sizeof TEXTS / sizeof *TEXTS; ++field)
    for (int kind = 0; kind < UI_KIND_COUNT; ++kind)
      for (uint32_t row = 0; TEXTS[field][kind] && row < c->ui->managers.kinds[kind]->count; ++row)
        TEXTS[field][kind][row] = lengthen(c, TEXTS[field][kind][row]);
}

static void check_screen(case_t *c, const char *screen) {
  lay_out_and_check(c, screen);
  lengthen_all(c);
  c->is_pseudo = true;
  lay_out_and_check(c, screen);
  c->is_pseudo = false;
}

// --- screens

static void destroy_widgets(case_t *c) {
  while (c->ui->managers.widget->count > 0)
    world_destroy_entity(c->ui->world, c->ui->managers.widget->owner[0]);
}

// Checks each tab of the options.
static void check_options(case_t *c) {
  static const char *const TABS[] = {"sound", "display", "game", "keys", "access"};
  char code[512];
  for (size_t i = 0; i < sizeof TABS / sizeof *TABS; ++i) {
    char answer[16] = "";
    destroy_widgets(c);
    run_lua(c, "world.options()", answer, sizeof answer);
    game_run(get_game(c), GAME_TICK, &(game_io_t){0});
    snprintf(code, sizeof code,
             "local found = 'no'; for e in world.each('shoal.option') do local o = e['shoal.option']"
             " if o.does == 'tab' and o.name == '%s' then world.focus(e); found = 'yes' end end; return found",
             TABS[i]);
    run_lua(c, code, answer, sizeof answer);
    for (int tick = 0; tick < 3; ++tick)
      game_run(get_game(c), GAME_TICK, &(game_io_t){0});
    if (strcmp(answer, "yes") == 0)
      check_screen(c, TABS[i]);
  }
}

static bool is_child(const world_o *w, uint32_t number) {
  for (uint32_t parent = 1; parent <= world_assemblage_count(w); ++parent)
    for (uint32_t i = 0, child; (child = world_assemblage_child_number(w, parent, i)) != 0; ++i)
      if (child == number)
        return true;
  return false;
}

static bool has_panel(const case_t *c, uint32_t number) {
  assemblage_part_t part;
  for (uint32_t i = 0; world_assemblage_get_part(c->ui->world, number, i, &part); ++i)
    if (part.manager == c->ui->managers.kinds[UI_PANEL]->id)
      return true;
  return false;
}

// Gives a line of text to labels that the game fills later.
static void fill_empty_labels(case_t *c) {
  const ui_columns_t *columns = &c->ui->columns;
  for (uint32_t row = 0; row < c->ui->managers.kinds[UI_LABEL]->count; ++row)
    if (columns->label.text[row] == 0 && columns->label.image[row] == 0)
      columns->label.text[row] = strings_intern(world_strings(c->ui->world), "one line");
}

// Checks each assemblage of the game that has a panel and is not a child, alone on the screen.
static void check_assemblages(case_t *c) {
  world_o *w = c->ui->world;
  for (uint32_t number = 1, count = world_assemblage_count(w); number <= count; ++number) {
    if (world_assemblage_is_retired(w, number) || is_child(w, number) || !has_panel(c, number))
      continue;
    destroy_widgets(c);
    error_info_t error;
    shoal_entity root = world_spawn(w, number, &error);
    assert_true(root != 0 && world_add_component(w, root, c->ui->managers.widget->id, 0, &error));
    c->must_not_scroll = strncmp(c->game, "scripts/games/", strlen("scripts/games/")) == 0;
    if (c->must_not_scroll)
      game_run(get_game(c), GAME_TICK, &(game_io_t){0}); // links the children of children
    if (!world_is_alive(w, root))
      continue;
    ui_get_columns(c->ui);
    c->ui->columns.widget.visible[manager_row(c->ui->managers.widget, root)] = true;
    if (c->must_not_scroll)
      fill_empty_labels(c);
    check_screen(c, strings_text(world_strings(w), world_assemblage_name(w, number)));
    c->must_not_scroll = false;
  }
}

static void select_language(case_t *c, int number) {
  char code[96], answer[16] = "";
  snprintf(code, sizeof code, "settings.language = tr.languages()[%d].id", number);
  run_lua(c, code, answer, sizeof answer);
}

static void set_text_size(case_t *c, const char *size) {
  char code[64], answer[16] = "";
  snprintf(code, sizeof code, "settings.text_size = '%s'", size);
  run_lua(c, code, answer, sizeof answer);
}

static int count_languages(case_t *c) {
  char answer[16] = "";
  run_lua(c, "tostring(#tr.languages())", answer, sizeof answer);
  return atoi(answer);
}

// Checks all screens of a game in all its languages.
static void check_game(case_t *c, const char *folder) {
  static const char *const SIZES[] = {"usual", "largest"};
  start_game(c, folder);
  int languages = count_languages(c);
  for (int i = 0; i < 2 * (languages > 1 ? languages : 1); ++i) {
    start_game(c, folder);
    if (languages > 1)
      select_language(c, i / 2 + 1);
    set_text_size(c, SIZES[i % 2]);
    check_options(c);
    check_assemblages(c);
  }
}

static void assert_no_faults(const case_t *c, uint32_t min_screens) {
  assert_true(c->screen_count >= min_screens);
  if (c->fault_count > 0) {
    print_error("%s", c->faults);
    fail_msg("%u faults", c->fault_count);
  }
}

TEST_IN(game_screens_fit_in_all_languages, case_t, c) {
  static const char *const GAMES[] = {"asteroids", "bounty_hunter",   "hamlet",     "invaders", "lantern",
                                      "pong",      "rectangle_eater", "rpg_battle", "tron"};
  for (size_t i = 0; i < sizeof GAMES / sizeof *GAMES; ++i) {
    char folder[64];
    snprintf(folder, sizeof folder, "scripts/games/%s", GAMES[i]);
    check_game(c, folder);
  }
  assert_no_faults(c, 100);
}

TEST_IN(menu_and_lobby_screens_fit_in_all_languages, case_t, c) {
  check_game(c, "scripts/shoal/menu");
  check_game(c, "scripts/shoal/lobby");
  assert_no_faults(c, 20);
}

// Enters the lobby of a Lantern match with the player's setting `language`. Returns the width of a Japanese title.
static float enter_lobby(case_t *c, const char *language, const char *fonts) {
  script_lobby_t lobby = {.title = "ランタン", .min_players = 2, .max_players = 2};
  snprintf(lobby.language, sizeof lobby.language, "%s", language);
  snprintf(lobby.fonts, sizeof lobby.fonts, "%s", fonts);
  char folder[PATH_MAX_BYTES], assets[sizeof c->host->session.assets.game];
  path_join(folder, sizeof folder, c->host->session.paths.engine, "lobby");
  memcpy(assets, c->host->session.assets.game, sizeof assets);
  c->host->lobby = &lobby;
  game_o *game = game_switch_enter_in_match(c->host, folder, NULL, assets, 1);
  c->host->lobby = NULL;
  c->ui = game->ui;
  float width, height;
  typesetter_measure(c->ui->desc.type, &(text_style_t){.size = 40}, lobby.title, &width, &height);
  return width;
}

TEST_IN(lobby_uses_the_games_language_and_fonts, case_t, c) {
  static const char *const LANGUAGES[][2] = {{"ja", "ja"}, {"fr", "fr"}, {"es_MX", "es"}, {"nl", "en"}, {"", "en"}};
  start_game(c, "scripts/games/lantern");
  for (size_t i = 0; i < sizeof LANGUAGES / sizeof *LANGUAGES; ++i) {
    enter_lobby(c, LANGUAGES[i][0], "");
    assert_string_equal(ui_get_language(c->ui), LANGUAGES[i][1]);
  }
  float boxes = enter_lobby(c, "ja", ""), glyphs = enter_lobby(c, "ja", "japanese.otf");
  assert_true(glyphs != boxes);
}

// A game with many settings and actions, at several sizes of the logical screen.
TEST_IN(options_fit_on_small_screens_in_all_languages, case_t, c) {
  static const char *const SIZES[] = {"width = 320, height = 180", "width = 640, height = 400",
                                      "width = 1280, height = 720"};
  static const char *const LANGUAGES[] = {"en", "de", "fr", "es", "ja"};
  match_folder_write(&c->folder, "input.lua",
                     "local out = {}\n"
                     "for i = 1, 14 do out['action' .. i] = { 'key:f' .. (i - 1) % 12 + 1, 'pad:a' } end\n"
                     "out.steer = { negative = 'key:left', positive = 'key:right', axis = 'pad:leftx' }\n"
                     "return out\n");
  match_folder_run("mkdir '%s/strings'", c->folder.path);
  for (size_t i = 0; i < sizeof LANGUAGES / sizeof *LANGUAGES; ++i) {
    char name[32];
    snprintf(name, sizeof name, "strings/%s.lua", LANGUAGES[i]);
    match_folder_write(&c->folder, name, "return { actions = { steer = 'Steer' } }\n");
  }
  for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; ++i) {
    char config[128];
    snprintf(config, sizeof config, "return { title = 'Screens', id = 'screens', %s }\n", SIZES[i]);
    match_folder_write(&c->folder, "game.lua", config);
    check_game(c, c->folder.path);
  }
  assert_no_faults(c, 60);
}
