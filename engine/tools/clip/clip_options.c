// Parses the options of clips. The options of the run are parsed by start/options.h.
#include "clip/clip_options.h"

#include "base/files.h"
#include "base/nearest_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RUN_ARGUMENTS 256

static const char HELP[] =
    "usage: shoal clip GAME [--replay FILE] [--from S] [--to S] --out FILE.webp|.mp4|.gif [options]\n"
    "  writes a part of a replay as a clip; GAME is a name or a folder. Without --replay, the game runs without "
    "input.\n\n"
    "  --from S, --to S   first and last second of the clip, from the start of the recording (default: all of it)\n"
    "  --last S           the last S seconds of the recording, instead of --from and --to\n"
    "  --out FILE         the clip: .webp and .gif have no sound; .mp4 and .gif need ffmpeg\n"
    "  --size WxH         size in pixels (default: 480x270)\n"
    "  --fps N            frames per second, 1 to 60 (default: 20)\n"
    "  --quality N        0 (smallest file) to 100, for .webp and .mp4 (default: 75)\n"
    "  --lossless         keep every pixel, for .webp\n"
    "  --seed N           seed of a run without --replay (default: 1)\n"
    "  --exec, --plugin, --trust, --memory, --workers, --log: as for ./shoal play\n";

// Options that are passed on to the run. The value is the next argument, unless the option is a flag.
static const char *const RUN_OPTIONS[] = {"--exec", "--log", "--memory", "--plugin", "--replay", "--seed", "--workers"};
static const char *const RUN_FLAGS[] = {"--trust"};

typedef enum option_t { FROM, TO, LAST, OUT, SIZE, FPS, QUALITY, LOSSLESS, OPTION_COUNT } option_t;
static const char *const CLIP_OPTIONS[OPTION_COUNT] = {"--from", "--to",  "--last",    "--out",
                                                       "--size", "--fps", "--quality", "--lossless"};

const char *clip_options_help(void) {
  return HELP;
}

// --- values

static bool parse_seconds(const char *name, const char *text, double *out, error_info_t *error) {
  char *end = NULL;
  *out = text[0] >= '0' && text[0] <= '9' ? strtod(text, &end) : 0;
  return (end && !*end && *out <= 86400.0) ||
         error_set(error, "%s must be a number of seconds from 0 to 86400, got “%s”", name, text);
}

static bool parse_integer(const char *name, const char *text, uint32_t min, uint32_t max, uint32_t *out,
                          error_info_t *error) {
  char *end = NULL;
  unsigned long number = text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
  *out = (uint32_t)number;
  return (end && !*end && number >= min && number <= max) ||
         error_set(error, "%s must be an integer from %u to %u, got “%s”", name, min, max, text);
}

static bool parse_size(clip_options_t *o, const char *text, error_info_t *error) {
  char rest = 0;
  bool ok = sscanf(text, "%4dx%4d%c", &o->width, &o->height, &rest) == 2 && o->width >= 64 && o->width <= 3840 &&
            o->height >= 64 && o->height <= 3840;
  return ok ||
         error_set(error, "--size must be WIDTHxHEIGHT with 64 to 3840 pixels each, such as 480x270, got “%s”", text);
}

static bool store_value(clip_options_t *o, option_t option, const char *value, error_info_t *error) {
  switch (option) {
  case FROM: return parse_seconds("--from", value, &o->from_s, error);
  case TO: o->has_to = true; return parse_seconds("--to", value, &o->to_s, error);
  case LAST:
    return parse_seconds("--last", value, &o->last_s, error) &&
           (o->last_s > 0 || error_set(error, "--last must be greater than 0"));
  case OUT: o->out = value; return true;
  case SIZE: return parse_size(o, value, error);
  case FPS: return parse_integer("--fps", value, 1, 60, &o->fps, error);
  case QUALITY: return parse_integer("--quality", value, 0, 100, &o->quality, error);
  default: o->lossless = true; return true;
  }
}

// --- arguments

// Returns the index of the option in the list, or `count` if not found. Stores the text after '=' in `*value`, or NULL
// if there is no '='.
static uint32_t find_option(const char *const *list, uint32_t count, const char *argument, const char **value) {
  size_t length = strcspn(argument, "=");
  *value = argument[length] ? argument + length + 1 : NULL;
  for (uint32_t i = 0; i < count; ++i)
    if (strlen(list[i]) == length && memcmp(list[i], argument, length) == 0)
      return i;
  return count;
}

static bool reject_option(const char *argument, error_info_t *error) {
  static const char *const NAMES[] = {"--exec",   "--fps", "--from",   "--last",    "--log",    "--lossless",
                                      "--memory", "--out", "--plugin", "--quality", "--replay", "--seed",
                                      "--size",   "--to",  "--trust",  "--workers"};
  char name[NEAREST_NAME_MAX_BYTES], hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
  nearest_name_init(&nearest, name);
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
    nearest_name_offer(&nearest, NAMES[i]);
  return error_set(error, "unknown option “%s” (see clip --help)%s", argument,
                   nearest_name_hint(&nearest, hint, sizeof hint));
}

typedef struct arguments_t {
  int argc, index;
  const char *const *argv;
  const char *run[MAX_RUN_ARGUMENTS]; // arguments of the run
  int run_count;
} arguments_t;

static bool parse_option(clip_options_t *o, arguments_t *a, error_info_t *error) {
  const char *argument = a->argv[a->index], *value = NULL;
  uint32_t option = find_option(CLIP_OPTIONS, OPTION_COUNT, argument, &value);
  bool of_run = find_option(RUN_OPTIONS, sizeof RUN_OPTIONS / sizeof *RUN_OPTIONS, argument, &value) <
                sizeof RUN_OPTIONS / sizeof *RUN_OPTIONS;
  bool is_flag = option == LOSSLESS || find_option(RUN_FLAGS, 1, argument, &value) == 0;
  if (option == OPTION_COUNT && !of_run && !is_flag)
    return reject_option(argument, error);
  if (is_flag && value)
    return error_set(error, "%.*s does not accept a value: remove =%s", (int)strcspn(argument, "="), argument, value);
  if (!is_flag && !value && a->index + 1 == a->argc)
    return error_set(error, "%s requires a value", argument);
  if (option == OPTION_COUNT)
    a->run[a->run_count++] = argument;
  if (!is_flag && !value) {
    value = a->argv[++a->index];
    if (option == OPTION_COUNT)
      a->run[a->run_count++] = value;
  }
  return option == OPTION_COUNT || store_value(o, (option_t)option, value, error);
}

static bool check_options(clip_options_t *o, error_info_t *error) {
  if (!o->run.target[0])
    return error_set(error, "clip requires a game: clip GAME --replay FILE --out FILE.webp");
  if (!o->out)
    return error_set(error, "clip requires an output file: --out FILE.webp, .mp4 or .gif");
  o->format = path_ends_with(o->out, ".webp")  ? CLIP_WEBP
              : path_ends_with(o->out, ".mp4") ? CLIP_MP4
              : path_ends_with(o->out, ".gif") ? CLIP_GIF
                                               : CLIP_NONE;
  if (o->format == CLIP_NONE)
    return error_set(error, "--out must end with .webp, .mp4 or .gif, got “%s”", o->out);
  if (o->lossless && o->format != CLIP_WEBP)
    return error_set(error, "--lossless requires .webp, got “%s”", o->out);
  if (o->format == CLIP_MP4 && (o->width % 2 || o->height % 2))
    return error_set(error, "--size must have an even width and height for .mp4, got %dx%d", o->width, o->height);
  if (o->last_s > 0 && (o->from_s > 0 || o->has_to))
    return error_set(error, "--last cannot be used with --from and --to: remove one of them");
  if (!o->run.replay && (o->last_s > 0 || !o->has_to))
    return error_set(error, "a clip without --replay requires --to");
  return true;
}

static void set_run_options(clip_options_t *o) {
  o->run.command = OPTIONS_RUN;
  o->run.watch = FILE_WATCH_OFF;
  o->run.cockpit = OPTIONS_COCKPIT_OFF;
  o->run.width = o->width;
  o->run.height = o->height;
  o->run.every_tick = o->run.captured = o->run.temporary_saves = true;
  if (!o->run.has_seed && !o->run.replay) {
    o->run.has_seed = true;
    o->run.seed = 1;
  }
}

bool clip_options_parse(int argc, const char *const *argv, const package_t *package, clip_options_t *out,
                        error_info_t *error) {
  arguments_t a = {.argc = argc, .argv = argv, .run = {argv[0], "play", "--log", "warn"}, .run_count = 4};
  if (package) // the program of a package has no commands
    a.run[1] = "--temporary-saves";
  *out = (clip_options_t){.width = 480, .height = 270, .fps = 20, .quality = 75};
  for (a.index = 2; a.index < argc; ++a.index) {
    const char *argument = argv[a.index];
    if (a.run_count + 2 > MAX_RUN_ARGUMENTS)
      return error_set(error, "too many arguments");
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)
      return out->help = true;
    if (argument[0] != '-')
      a.run[a.run_count++] = argument;
    else if (!parse_option(out, &a, error))
      return false;
  }
  if (!(package ? options_parse_package(a.run_count, a.run, package, &out->run, error)
                : options_parse(a.run_count, a.run, &out->run, error)))
    return false;
  set_run_options(out);
  return check_options(out, error);
}
