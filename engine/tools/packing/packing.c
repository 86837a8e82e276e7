// Implements `shoal pack`. Calls the commands of windows_package.h.
#include "packing/packing.h"

#include "addons/addon_lock.h"
#include "base/assert.h"
#include "base/files.h"
#include "host/host_tools.h"
#include "native/codegen.h"
#include "packing/windows_package.h"
#include "start/package.h"

#include <stdio.h>
#include <string.h>

enum { OBJECT_RUN_TICKS = 60 };
static const char DEFAULT_VERSION[] = "1.0"; // version of games without a version in game.lua

typedef struct packing_t {
  const char *target, *path;
  const char *version; // --version; NULL: the version in game.lua, or DEFAULT_VERSION
  const char *code;    // file with the engine's scripts as bytecode; "": no bytecode; NULL: bytecode file of this build
  bool trust, without_objects;
} packing_t;

static bool parse_arguments(packing_t *packing, int argc, const char *const *argv, error_info_t *error) {
  const char *arguments[2] = {0};
  int count = 0;
  *packing = (packing_t){0};
  if (strcmp(argv[1], "pack") != 0)
    return error_set(error, "unknown command “%s”: expected pack, pack-program or pack-folder", argv[1]);
  for (int i = 2; i < argc; ++i) {
    if (strcmp(argv[i], "--trust") == 0)
      packing->trust = true;
    else if (strcmp(argv[i], "--version") == 0 && i + 1 < argc)
      packing->version = argv[++i];
    else if (strcmp(argv[i], "--code") == 0 && i + 1 < argc)
      packing->code = argv[++i];
    else if (strcmp(argv[i], "--native") == 0 && i + 1 < argc && strcmp(argv[i + 1], "off") == 0)
      // Objects contain code for the architecture of this machine, so packages for other architectures contain no
      // objects.
      packing->without_objects = ++i;
    else if (argv[i][0] == '-' || count == 2)
      return error_set(
          error, "invalid argument “%s”: expected pack GAME FILE [--trust] [--version V] [--code FILE] [--native off]",
          argv[i]);
    else
      arguments[count++] = argv[i];
  }
  packing->target = arguments[0], packing->path = arguments[1];
  return count == 2 || error_set(error, "missing arguments: expected pack GAME FILE");
}

// Runs the game headless for a few ticks. If `native` is NULL, script errors are fatal, and no code is compiled.
// Nothing may be compiled in this run, because compile_objects collects only newly compiled code and needs all of it.
// Returns the host, or NULL with an error if the game does not start.
static host_o *run_game(const char *program, const packing_t *packing, const char *native, error_info_t *error) {
  bool is_folder = strchr(packing->target, '/') || packing->target[0] == '.';
  options_t options = {.command = is_folder ? OPTIONS_RUN : OPTIONS_PLAY,
                       .program = program,
                       .target = packing->target,
                       .headless = true,
                       .temporary_saves = true,
                       .strict = !native,
                       .native = native ? native : "off",
                       .trust = packing->trust,
                       .watch = FILE_WATCH_OFF,
                       .workers = 1,
                       .has_ticks = true,
                       .ticks = native ? OBJECT_RUN_TICKS : 2,
                       .log_level = LOG_ERROR};
  host_o *h = host_create(&options, error);
  while (h && host_frame(h))
    continue;
  if (h && (host_exit_code(h) != 0 || !host_game(h))) {
    error_set(error, "cannot package %s: the game does not start: fix the errors above", packing->target);
    host_destroy(h);
    return NULL;
  }
  return h;
}

// Compiles the game's systems for each instruction set. A system is compiled when it first has rows. A system that has
// no rows during this run uses LuaJIT on the player's machine, or LLVM if it is installed.
static void compile_objects(const char *program, const packing_t *packing) {
  static const char *const LEVELS[] = {"sse2,now,make", "avx2,now,make", "avx512,now,make"};
  codegen_enable_object_files();
  for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS && codegen_best_level() != CODEGEN_NONE; ++i)
    host_destroy(run_game(program, packing, LEVELS[i], &(error_info_t){0}));
}

// Returns true if both files are identical, which means that the same LuaJIT wrote them.
static bool are_files_equal(const char *a, const char *b) {
  allocator_t memory = {0};
  size_t bytes[2] = {0};
  char *text_a = file_read(&memory, a, &bytes[0], NULL), *text_b = file_read(&memory, b, &bytes[1], NULL);
  bool is_equal = text_a && text_b && bytes[0] == bytes[1] && memcmp(text_a, text_b, bytes[0]) == 0;
  file_free(&memory, text_a, bytes[0]);
  file_free(&memory, text_b, bytes[1]);
  return is_equal;
}

static void print_addon_warning(void *context, const char *message) {
  (void)context;
  fprintf(stderr, "warn: %s\n", message);
}

// Reads the addon.lua of each add-on that has one. Returns true on success, or false with an error if a file cannot be
// read.
static bool read_addon_infos(const package_desc_t *desc, addon_info_t *out, error_info_t *error) {
  allocator_t memory = {0};
  for (uint32_t i = 0; i < desc->addon_count; ++i) {
    char path[FILE_PATH_BYTES];
    out[i] = (addon_info_t){0};
    if (file_exists(path_join(path, sizeof path, desc->addons[i].folder, "addon.lua")) &&
        !addon_info_read(&memory, desc->addons[i].folder, &out[i], error))
      return false;
  }
  return true;
}

// Prints "addon NAME VERSION LICENCE" and "addon_folder FOLDER" for each add-on. "-" stands for a missing version or
// licence.
static void print_addons(const package_desc_t *desc, const addon_info_t *infos) {
  for (uint32_t i = 0; i < desc->addon_count; ++i)
    printf("addon %s %s %s\naddon_folder %s\n", desc->addons[i].name, infos[i].version[0] ? infos[i].version : "-",
           infos[i].licence[0] ? infos[i].licence : "-", desc->addons[i].folder);
}

static bool write_package(host_o *h, const packing_t *packing, error_info_t *error) {
  const session_t *session = host_session(h);
  const vm_game_t *config = &session->game->config;
  const char *slash = strrchr(session->folder, '/'), *plugin_path;
  package_desc_t desc = {
      .title = config->title,
      .id = config->id[0] ? config->id
            : slash       ? slash + 1
                          : session->folder,
      .version = packing->version     ? packing->version
                 : config->version[0] ? config->version
                                      : DEFAULT_VERSION,
      .shoal = SHOAL_VERSION,
      .root = session->paths.root,
      .game = session->folder,
      .code_file = packing->code ? packing->code : session->paths.code,
      .compiles_game = session->paths.code[0] &&
                       (!packing->code || (packing->code[0] && are_files_equal(packing->code, session->paths.code))),
      .trusted = packing->trust};
  shoal_assert(desc.id[0] && !strchr(desc.id, '/'), "%s is not a valid folder name", desc.id);
  allocator_t memory = {0};
  uint32_t max_objects = codegen_object_count();
  codegen_object_t *objects = alloc_resize(&memory, NULL, 0, (max_objects + 1) * sizeof *objects);
  package_addon_t addons[SOURCES_MAX_ADDONS];
  addon_info_t addon_infos[SOURCES_MAX_ADDONS];
  for (const char *name; (name = sources_addon_name(vm_sources(session->game->vm), desc.addon_count)) != NULL;) {
    addons[desc.addon_count] =
        (package_addon_t){name, sources_addon_folder(vm_sources(session->game->vm), desc.addon_count)};
    desc.addon_count++;
  }
  desc.addons = addons;
  desc.objects = objects;
  desc.object_count = codegen_list_objects(objects, max_objects);
  bool ok = read_addon_infos(&desc, addon_infos, error) && package_write(&desc, packing->path, error);
  alloc_resize(&memory, objects, (max_objects + 1) * sizeof *objects, 0);
  if (!ok)
    return false;
  printf("title %s\nid %s\nversion %s\nfolder %s\n", desc.title, desc.id, desc.version, desc.game);
  printf("objects %u\n", desc.object_count);
  print_addons(&desc, addon_infos);
  if (config->icon[0])
    printf("icon %s/assets/%s\n", session->folder, config->icon);
  for (uint32_t i = 0; (plugin_path = plugins_path(session->game->plugins, i)) != NULL; ++i)
    printf("plugin %s\n", plugin_path);
  return true;
}

int packing_run(int argc, const char *const *argv) {
  packing_t packing;
  error_info_t error = {0};
  int code = 0;
  if (windows_package_run(argc, argv, &code))
    return code;
  host_o *h = NULL;
  allocator_t memory = {0};
  bool ok = parse_arguments(&packing, argc, argv, &error) && (h = run_game(argv[0], &packing, NULL, &error)) != NULL &&
            addon_lock_check(&memory, host_session(h)->folder, print_addon_warning, NULL, &error);
  if (ok) { // compile_objects must precede write_package, which adds the objects to the package
    if (!packing.without_objects)
      compile_objects(argv[0], &packing);
    ok = write_package(h, &packing, &error);
  }
  host_destroy(h);
  if (!ok)
    fprintf(stderr, "shoal: %s\n", error.text);
  return ok ? 0 : 2;
}
