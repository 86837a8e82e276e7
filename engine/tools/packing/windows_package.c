// Implements `shoal pack-program` and `shoal pack-folder`.
#include "packing/windows_package.h"

#include "base/archive.h"
#include "base/files.h"
#include "packing/windows_program.h"

#include <stdio.h>
#include <string.h>

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool write_program(const char *source, const char *path, const windows_program_desc_t *desc,
                          error_info_t *error) {
  allocator_t memory = {0};
  error_info_t reason = {0};
  size_t source_bytes, bytes = 0;
  char *program = file_read(&memory, source, &source_bytes, error);
  if (!program)
    return false;
  uint8_t *created = windows_program_create(&memory, (const uint8_t *)program, source_bytes, desc, &bytes, &reason);
  bool ok = created ? file_write(path, created, bytes, error) : error_set(error, "%s: %s", source, reason.text);
  alloc_resize(&memory, created, bytes, 0);
  file_free(&memory, program, source_bytes);
  return ok;
}

static bool pack_program(const char *const *argv, error_info_t *error) {
  allocator_t memory = {0};
  icon_images_t icon;
  windows_program_desc_t desc = {.file_name = file_name(argv[3]), .title = argv[4], .version = argv[5], .icon = &icon};
  bool ok = icon_images_init(&icon, &memory, argv[6], error) && write_program(argv[2], argv[3], &desc, error);
  icon_images_fini(&icon, &memory);
  return ok;
}

static bool add_file(archive_writer_o *writer, const char *folder, const char *name, error_info_t *error) {
  allocator_t memory = {0};
  char path[FILE_PATH_BYTES], entry[FILE_PATH_BYTES];
  size_t bytes;
  char *text = file_read(&memory, path_join(path, sizeof path, folder, name), &bytes, error);
  path_join(entry, sizeof entry, file_name(folder), name);
  // The game's archive is a zip file itself: compressing it again saves nothing.
  bool ok = text && archive_writer_add_entry(writer, entry, text, bytes, path_ends_with(name, ".data"), error);
  file_free(&memory, text, bytes);
  return ok;
}

static bool pack_folder(const char *const *argv, error_info_t *error) {
  allocator_t memory = {0};
  file_list_t list = {0};
  error_info_t reason = {0};
  if (!file_list(&memory, argv[2], "", &list, error))
    return false;
  archive_writer_o *writer = archive_writer_create(argv[3], error);
  bool ok = writer != NULL;
  for (uint32_t i = 0; ok && i < list.count; ++i)
    ok = add_file(writer, argv[2], list.paths[i], error);
  if (writer && !archive_writer_finish(writer, &reason) && ok)
    ok = error_set(error, "%s", reason.text);
  if (writer && !ok)
    remove(argv[3]);
  file_list_free(&memory, &list);
  return ok;
}

bool windows_package_run(int argc, const char *const *argv, int *code) {
  static const struct {
    const char *name, *arguments;
    int count;
    bool (*run)(const char *const *argv, error_info_t *error);
  } COMMANDS[] = {{"pack-program", "SHOAL.EXE OUT.EXE TITLE VERSION ICON", 5, pack_program},
                  {"pack-folder", "FOLDER FILE.zip", 2, pack_folder}};
  error_info_t error = {0};
  for (size_t i = 0; argc > 1 && i < sizeof COMMANDS / sizeof *COMMANDS; ++i) {
    if (strcmp(argv[1], COMMANDS[i].name) != 0)
      continue;
    bool ok = argc == COMMANDS[i].count + 2
                  ? COMMANDS[i].run(argv, &error)
                  : error_set(&error, "expected %s %s", COMMANDS[i].name, COMMANDS[i].arguments);
    if (!ok)
      fprintf(stderr, "shoal: %s\n", error.text);
    *code = ok ? 0 : 2;
    return true;
  }
  return false;
}
