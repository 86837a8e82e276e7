// Walks through the menus of a game: walk [OPTION]… FOLDER
//
// From the first screen and from every screen that a press opens, presses every widget (with the keys, the pointer and
// a pad; only with the pad if another screen has the same widget) and every action of input.lua, and runs 30 ticks. If
// no widget takes the focus, also clicks at five points of the picture. Prints a line `walk: PATH: PROBLEM` for each
// problem, where PATH lists the presses that lead to it:
//   - a warning or an error in the log, such as the report of a parked piece
//   - a widget that the focus cannot reach, or whose centre another widget covers; a second widget with the focus
//   - a text that does not fit into its widget, or a widget outside its panel or the screen, in any language
//   - a text that is hard to read while its widget has the focus
//   - a text that names keys while a pad is in use
//   - with --strings, a displayed text that does not come from strings/
//   - a screen from which no press leads back to the first screen, to a running game or to an exit
//   - a screen that can be opened or left, or an action that can be used, by keys but not by a pad alone
//
// A press that quits, restarts or opens a game counts as an exit and is not executed. Exits with 1 if there is a
// problem. The last line counts screens, widgets, presses and languages. Options:
//   --draw             runs the render phase in each tick, not only in the ticks of a press and in some later ones
//   --repeat           presses widgets that another screen has, too, with every device instead of the pad only
//   --known FILE       a list of modal menus that different walks have explored and that are now only opened; the menus
//                      that this walk has explored are added to it
//   --phases N         explores the same modal menu on this many screens (2); on further screens it is only opened
//   --play TICKS       holds random controls for this many ticks while the game is played (1200)
//   --situation CODE   a chunk of Lua, run while the game is played, that leads to a screen such as the game's end
//   --language NAME    sets the setting `language` first
//   --strings TITLE    reports texts, except the game's title, that do not come from strings/; the strings must be
//                      marked (strings.c)
//   --without NAME     does not check the layout in this language
//   --pictures FOLDER  opens a window and writes a picture of every screen
#include "walk.h"

#include "host/console.h"
#include "ui/actions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SITUATIONS 8
#define START_TICKS 60u
#define PLAY_TICKS 1200u // default of --play
#define PHASES 2u        // default of --phases

typedef struct arguments_t {
  const char *folder, *situations[MAX_SITUATIONS], *language, *without, *title, *pictures, *known;
  uint32_t situation_count, play_ticks, phases;
  bool draws, repeats;
} arguments_t;

static bool read_arguments(int argc, char **argv, arguments_t *out) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--draw") == 0)
      out->draws = true;
    else if (strcmp(argv[i], "--repeat") == 0)
      out->repeats = true;
    else if (strcmp(argv[i], "--strings") == 0 && i + 1 < argc)
      out->title = argv[++i];
    else if (strcmp(argv[i], "--situation") == 0 && i + 1 < argc && out->situation_count < MAX_SITUATIONS)
      out->situations[out->situation_count++] = argv[++i];
    else if (strcmp(argv[i], "--play") == 0 && i + 1 < argc)
      out->play_ticks = (uint32_t)strtoul(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--phases") == 0 && i + 1 < argc)
      out->phases = (uint32_t)strtoul(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--language") == 0 && i + 1 < argc)
      out->language = argv[++i];
    else if (strcmp(argv[i], "--without") == 0 && i + 1 < argc)
      out->without = argv[++i];
    else if (strcmp(argv[i], "--known") == 0 && i + 1 < argc)
      out->known = argv[++i];
    else if (strcmp(argv[i], "--pictures") == 0 && i + 1 < argc)
      out->pictures = argv[++i];
    else if (argv[i][0] != '-' && !out->folder)
      out->folder = argv[i];
    else
      return false;
  }
  return out->folder != NULL;
}

static void on_log_line(void *context, log_level_t level, const char *line) {
  (void)level;
  walk_report(context, line);
}

static bool run_chunk(walk_t *w, const char *code) {
  char out[256];
  script_report_t report = {0};
  if (console_run(w->host, code, out, sizeof out, &report))
    return true;
  walk_report(w, report.message);
  return false;
}

static void choose_language(walk_t *w, const char *language) {
  char code[128];
  snprintf(code, sizeof code, "settings.language = \"%s\"", language);
  run_chunk(w, code);
}

// Returns the first screen after a press in which the game is played; the first screen if no press leads to play.
static uint32_t find_played(const walk_t *w) {
  for (uint32_t i = 1; i < w->screens.count; ++i)
    if (w->screens.items[i]->plays)
      return i;
  return 0;
}

static void walk_from_situation(walk_t *w, uint32_t played, const char *code) {
  walk_restore(w, &w->screens.items[played]->state);
  snprintf(w->path, sizeof w->path, "%.1500s > %.256s", w->screens.items[played]->path, code);
  if (run_chunk(w, code)) {
    uint32_t screen = walk_add_screen(w);
    if (screen != WALK_EXIT)
      w->screens.items[screen]->is_reached[WALK_PAD] = true;
    walk_explore(w);
  }
}

static void walk_game(walk_t *w, const arguments_t *a) {
  snprintf(w->path, sizeof w->path, "start");
  w->devices.pad_connected[0] = 1;
  w->devices.pad_kinds[0] = INPUT_PAD_XBOX;
  if (a->language)
    choose_language(w, a->language);
  walk_wait(w, START_TICKS);
  if (walk_add_screen(w) == WALK_EXIT)
    return;
  for (uint32_t device = 0; device < WALK_DEVICES; ++device)
    w->screens.items[0]->is_home[device] = w->screens.items[0]->is_reached[device] = true;
  walk_explore(w);
  uint32_t played = find_played(w);
  for (uint32_t i = 0; i < a->situation_count; ++i)
    walk_from_situation(w, played, a->situations[i]);
  if (w->screens.items[played]->plays && actions_get_name(walk_ui(w)->actions, 0)) {
    walk_play(w, played, a->play_ticks);
    walk_explore(w);
  }
  walk_check_ways(w);
  walk_check_languages(w, a->without ? a->without : "");
}

static void read_known_menus(walk_t *w, const char *path) {
  FILE *file = fopen(path, "rb");
  uint64_t hash;
  while (file && fread(&hash, sizeof hash, 1, file) == 1)
    hash_table_insert(&w->known_menus, &w->memory, hash, 1);
  if (file)
    fclose(file);
}

// Returns false with a message if the file cannot be written.
static bool add_known_menus(const walk_t *w, const char *path) {
  FILE *file = fopen(path, "ab");
  bool is_written = file != NULL;
  for (uint32_t i = 0; is_written && i < w->screens.count; ++i) {
    const screen_t *s = w->screens.items[i];
    is_written = s->menu == 0 || !s->explored || fwrite(&s->menu, sizeof s->menu, 1, file) == 1;
  }
  is_written = file && fclose(file) == 0 && is_written;
  if (!is_written)
    fprintf(stderr, "walk: %s cannot be written\n", path);
  return is_written;
}

static void free_walk(walk_t *w) {
  for (uint32_t i = 0; i < w->screens.count; ++i) {
    walk_release(w, &w->screens.items[i]->state);
    alloc_resize(&w->memory, w->screens.items[i], sizeof *w->screens.items[i], 0);
  }
  array_free(&w->memory, &w->screens);
  array_free(&w->memory, &w->edges);
  array_free(&w->memory, &w->widgets);
  hash_table_free(&w->pressed, &w->memory);
  hash_table_free(&w->known_menus, &w->memory);
  hash_table_free(&w->labels, &w->memory);
  hash_table_free(&w->texts, &w->memory);
  array_free(&w->memory, &w->problems);
}

static int run(const arguments_t *a, const char *program) {
  const char *const words[] = {program,        "run",       a->folder,    a->pictures ? "--every-tick" : "--headless",
                               "--workers",    "1",         "--seed",     "1",
                               "--log",        "warn",      "--no-watch", "--temporary-saves",
                               "--no-cockpit", "--history", "0"};
  walk_t w = {
      .draws = a->draws, .repeats = a->repeats, .phases = a->phases, .pictures = a->pictures, .title = a->title};
  options_t options;
  error_info_t error = {0};
  if (!options_parse(sizeof words / sizeof *words, words, &options, &error)) {
    fprintf(stderr, "walk: %s\n", error.text);
    return 2;
  }
  options.no_terminal = true;
  options.listener = on_log_line;
  options.listener_context = &w;
  snprintf(w.path, sizeof w.path, "load");
  w.host = host_create(&options, &error);
  if (!w.host || !w.host->session.game) {
    fprintf(stderr, "walk: %s: %s\n", a->folder, error.text);
    return 2;
  }
  if (a->known)
    read_known_menus(&w, a->known);
  walk_game(&w, a);
  printf("%s: %u screens, %u widgets, %u presses, %u languages, %u problems\n", a->folder, w.screens.count,
         w.widgets.count, w.presses, w.languages, w.problems.count);
  int code = w.problems.count > 0 || (a->known && !add_known_menus(&w, a->known));
  free_walk(&w);
  host_destroy(w.host);
  return code;
}

int main(int argc, char **argv) {
  arguments_t a = {.play_ticks = PLAY_TICKS, .phases = PHASES};
  if (read_arguments(argc, argv, &a))
    return run(&a, argv[0]);
  fprintf(stderr, "usage: walk [--draw] [--repeat] [--known FILE] [--phases N] [--play TICKS] [--situation CODE]… "
                  "[--language NAME] [--without NAME] [--strings TITLE] [--pictures FOLDER] FOLDER\n");
  return 2;
}
