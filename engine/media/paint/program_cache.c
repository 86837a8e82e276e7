// Disk cache of program binaries. A file contains a head_t, followed by the driver's program binary.
#include "paint/program_cache.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/user_folders.h"

#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 1024, MAX_BYTES = 1 << 24, MAX_FILES = 256 };
static const char SUFFIX[] = ".program";
static const uint64_t VERSION = UINT64_C(0x31474f5250); // version of the file format

typedef struct head_t {
  uint64_t version, key, hash; // version of the format, key of the program, and hash of the bytes after the head
  uint32_t format, size_bytes;
} head_t;

static bool find_cache_folder(char *out, size_t out_bytes) {
  int length = user_folder_find(USER_FOLDER_CACHE, "shoal/shaders", out, out_bytes);
  return length > 0 && (size_t)length + 64 < out_bytes;
}

static void format_path(char *out, size_t out_bytes, const char *folder, uint64_t key) {
  snprintf(out, out_bytes, "%s/%016llx%s", folder, (unsigned long long)key, SUFFIX);
}

static bool is_supported(void) {
  GLint formats = 0;
  if (epoxy_gl_version() < 41 && !epoxy_has_gl_extension("GL_ARB_get_program_binary"))
    return false;
  glGetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &formats);
  return formats > 0;
}

uint64_t program_cache_key(const char *const *strings, size_t count) {
  static const GLenum DRIVER_STRINGS[] = {GL_VENDOR, GL_RENDERER, GL_VERSION};
  uint64_t key = VERSION;
  if (!is_supported())
    return 0;
  for (size_t i = 0; i < sizeof DRIVER_STRINGS / sizeof *DRIVER_STRINGS; ++i) {
    const char *value = (const char *)glGetString(DRIVER_STRINGS[i]);
    key = value ? hash_bytes(value, strlen(value) + 1, key) : key;
  }
  for (size_t i = 0; i < count; ++i)
    key = hash_bytes(strings[i], strlen(strings[i]) + 1, key);
  return key ? key : 1;
}

static bool is_valid_entry(const head_t *header, uint64_t key, const char *bytes, size_t size) {
  return header->version == VERSION && header->key == key && size == sizeof *header + header->size_bytes &&
         header->hash == hash_bytes(bytes + sizeof *header, header->size_bytes, key);
}

static GLuint load_program(const head_t *header, const char *binary) {
  GLuint program = glCreateProgram();
  GLint linked = 0;
  glProgramBinary(program, (GLenum)header->format, binary, (GLsizei)header->size_bytes);
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  glGetError(); // clears the error that a driver reports for a rejected binary
  if (linked)
    return program;
  glDeleteProgram(program);
  return 0;
}

GLuint program_cache_read(uint64_t key) {
  char folder[PATH_BYTES], path[PATH_BYTES + 64];
  allocator_t memory = {0};
  size_t size = 0;
  head_t header;
  GLuint program = 0;
  if (!key || !find_cache_folder(folder, sizeof folder))
    return 0;
  format_path(path, sizeof path, folder, key);
  char *bytes = file_exists(path) ? file_read(&memory, path, &size, NULL) : NULL;
  if (!bytes)
    return 0;
  if (size > sizeof header) {
    memcpy(&header, bytes, sizeof header);
    if (is_valid_entry(&header, key, bytes, size))
      program = load_program(&header, bytes + sizeof header);
  }
  file_free(&memory, bytes, size);
  return program;
}

void program_cache_prepare(uint64_t key, GLuint program) {
  if (key)
    glProgramParameteri(program, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE);
}

// Deletes the whole cache when it is full, so that programs of old drivers and shaders are deleted, too. Programs that
// are still used are written again later.
static void clear_cache_if_full(allocator_t *memory, const char *folder) {
  file_list_t list = {0};
  char path[PATH_BYTES * 2];
  bool is_full = file_list(memory, folder, SUFFIX, &list, NULL) && list.count >= MAX_FILES;
  for (uint32_t i = 0; is_full && i < list.count; ++i)
    remove(path_join(path, sizeof path, folder, list.paths[i]));
  file_list_free(memory, &list);
}

void program_cache_write(uint64_t key, GLuint program) {
  char folder[PATH_BYTES], path[PATH_BYTES + 64];
  allocator_t memory = {0};
  error_info_t error; // errors are ignored: without a cache directory, no programs are stored
  GLint max_bytes = 0;
  GLsizei size = 0;
  GLenum format = 0;
  if (!key || !find_cache_folder(folder, sizeof folder) || !file_create_folders(folder, &error))
    return;
  glGetProgramiv(program, GL_PROGRAM_BINARY_LENGTH, &max_bytes);
  if (max_bytes <= 0 || max_bytes > MAX_BYTES)
    return;
  size_t capacity = sizeof(head_t) + (size_t)max_bytes;
  char *bytes = alloc_resize(&memory, NULL, 0, capacity);
  glGetProgramBinary(program, max_bytes, &size, &format, bytes + sizeof(head_t));
  if (size > 0 && size <= max_bytes) {
    head_t header = {VERSION, key, hash_bytes(bytes + sizeof header, (size_t)size, key), format, (uint32_t)size};
    memcpy(bytes, &header, sizeof header);
    clear_cache_if_full(&memory, folder);
    format_path(path, sizeof path, folder, key);
    file_write(path, bytes, sizeof header + (size_t)size, &error);
  }
  alloc_resize(&memory, bytes, capacity, 0);
  shoal_assert(memory.bytes == 0, "the program cache leaked %zu bytes", memory.bytes);
}
