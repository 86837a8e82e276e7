// Reads and writes files of compiled scripts: a header, then for each script an entry, its name and its bytecode.
#include "luajit/code_file.h"

#include "base/archive.h"
#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "luajit/bytecode.h"

#include <lauxlib.h>
#include <luajit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT "shoal code 1, " LUAJIT_BUILD

typedef struct file_header_t {
  char format[48];
  uint64_t hash; // hash of everything after the header
  uint64_t count;
} file_header_t;

typedef struct entry_t {
  uint64_t text_hash, text_bytes;
  uint32_t name_bytes, code_bytes; // sizes of the name, including its '\0', and of the bytecode that follow
} entry_t;

typedef struct file_entry_t {
  entry_t entry;
  const char *name;
  const uint8_t *code;
} file_entry_t;

struct code_file_o {
  allocator_t memory;
  const void *mapping; // mapping of the file; NULL if the bytes are in the mounted archive
  const char *bytes;
  size_t size;
  ARRAY(file_entry_t) list;
};

// --- reading

static bool read_entry(code_file_o *code_file, size_t *offset) {
  file_entry_t item;
  size_t remaining = code_file->size - *offset;
  if (remaining < sizeof item.entry)
    return false;
  memcpy(&item.entry, code_file->bytes + *offset, sizeof item.entry);
  remaining -= sizeof item.entry;
  size_t name_bytes = item.entry.name_bytes, code_bytes = item.entry.code_bytes;
  if (name_bytes == 0 || name_bytes > remaining || code_bytes > remaining - name_bytes)
    return false;
  item.name = code_file->bytes + *offset + sizeof item.entry;
  item.code = (const uint8_t *)item.name + name_bytes;
  *offset += sizeof item.entry + name_bytes + code_bytes;
  if (item.name[name_bytes - 1] != '\0')
    return false;
  array_push(&code_file->memory, &code_file->list, item);
  return true;
}

static bool read_all_entries(code_file_o *code_file) {
  file_header_t header;
  size_t offset = sizeof header;
  if (code_file->size < sizeof header)
    return false;
  memcpy(&header, code_file->bytes, sizeof header);
  const char format[sizeof header.format] = FORMAT;
  if (memcmp(header.format, format, sizeof format) != 0 ||
      header.hash != hash_bytes(code_file->bytes + offset, code_file->size - offset, 0))
    return false;
  for (uint64_t i = 0; i < header.count; ++i)
    if (!read_entry(code_file, &offset))
      return false;
  return offset == code_file->size;
}

// Finds the bytes of the file, and uses them in place (also in the mounted archive if it stores the file uncompressed):
// copying would touch a megabyte of new pages.
static void load_file_bytes(code_file_o *code_file, const char *path) {
  const archive_entry_t *entry = archive_find_entry(path);
  if (entry && !entry->deflated) {
    code_file->bytes = (const char *)entry->packed;
    code_file->size = entry->bytes;
    return;
  }
  code_file->mapping = file_exists(path) ? file_map(path, &code_file->size, NULL) : NULL;
  code_file->bytes = code_file->mapping;
}

code_file_o *code_file_open(const char *path) {
  shoal_assert(path && path[0], "path must not be empty");
  allocator_t memory = {0};
  code_file_o *code_file = alloc_resize(&memory, NULL, 0, sizeof *code_file);
  *code_file = (code_file_o){.memory = memory};
  load_file_bytes(code_file, path);
  if (code_file->bytes && read_all_entries(code_file))
    return code_file;
  code_file_close(code_file);
  return NULL;
}

void code_file_close(code_file_o *code_file) {
  if (!code_file)
    return;
  array_free(&code_file->memory, &code_file->list);
  file_unmap(code_file->mapping, code_file->size);
  allocator_t memory = code_file->memory;
  alloc_resize(&memory, code_file, sizeof *code_file, 0);
}

const void *code_file_find_chunk(const code_file_o *code_file, const char *name, const char *text, size_t bytes,
                                 size_t *code_bytes) {
  for (uint32_t i = 0; i < code_file->list.count; ++i) {
    const file_entry_t *item = &code_file->list.items[i];
    if (strcmp(item->name, name) != 0)
      continue;
    *code_bytes = item->entry.code_bytes;
    bool matches = !text || (item->entry.text_bytes == bytes && item->entry.text_hash == hash_bytes(text, bytes, 0));
    return matches ? item->code : NULL;
  }
  return NULL;
}

// --- writing

typedef struct writer_t {
  allocator_t memory;
  lua_State *L;
  bytecode_bytes_t code;
  ARRAY(uint8_t) out;
  file_header_t header;
} writer_t;

static void write_bytes(writer_t *writer, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; ++i)
    array_push(&writer->memory, &writer->out, ((const uint8_t *)bytes)[i]);
}

// Writes the bytecode with sorted table constants, so that equal scripts produce equal bytes. Returns true on success,
// or false with a message.
static bool write_code(writer_t *writer, const char *name, error_info_t *error) {
  uint8_t *sorted = alloc_resize(&writer->memory, NULL, 0, writer->code.count);
  bool ok = bytecode_sort_tables(writer->code.items, writer->code.count, sorted);
  if (ok)
    write_bytes(writer, sorted, writer->code.count);
  else
    error_set(error, "cannot compile %s: LuaJIT's bytecode has an unsupported version", name);
  alloc_resize(&writer->memory, sorted, writer->code.count, 0);
  return ok;
}

// Compiles a script and appends the bytecode. The prefix "@" of a chunk name marks the rest as a file name.
static bool write_script(writer_t *writer, const char *folder, const char *prefix, const char *relative,
                         error_info_t *error) {
  char path[4096], name[1024];
  size_t bytes = 0;
  char *text = file_read(&writer->memory, path_join(path, sizeof path, folder, relative), &bytes, error);
  if (!text)
    return false;
  snprintf(name, sizeof name, "@%s%s", prefix, relative);
  bool ok = luaL_loadbufferx(writer->L, text, bytes, name, "t") == 0 && bytecode_dump(writer->L, &writer->code);
  if (ok) {
    entry_t entry = {.text_hash = hash_bytes(text, bytes, 0),
                     .text_bytes = bytes,
                     .name_bytes = (uint32_t)strlen(name + 1) + 1,
                     .code_bytes = (uint32_t)writer->code.count};
    write_bytes(writer, &entry, sizeof entry);
    write_bytes(writer, name + 1, entry.name_bytes);
    ok = write_code(writer, name + 1, error);
    writer->header.count++;
  } else {
    error_set(error, "%s", lua_tostring(writer->L, -1));
  }
  lua_settop(writer->L, 0);
  file_free(&writer->memory, text, bytes);
  return ok;
}

static bool write_folder(writer_t *writer, const char *folder, const char *prefix, const char *path,
                         error_info_t *error) {
  file_list_t list = {0};
  bool ok = file_list(&writer->memory, folder, ".lua", &list, error);
  write_bytes(writer, &writer->header, sizeof writer->header);
  for (uint32_t i = 0; ok && i < list.count; ++i)
    ok = write_script(writer, folder, prefix, list.paths[i], error);
  file_list_free(&writer->memory, &list);
  if (!ok)
    return false;
  snprintf(writer->header.format, sizeof writer->header.format, "%s", FORMAT);
  writer->header.hash =
      hash_bytes(writer->out.items + sizeof writer->header, writer->out.count - sizeof writer->header, 0);
  memcpy(writer->out.items, &writer->header, sizeof writer->header);
  return file_write(path, writer->out.items, writer->out.count, error);
}

bool code_file_write(const char *folder, const char *prefix, const char *path, error_info_t *error) {
  writer_t writer = {.L = luaL_newstate()};
  shoal_assert(writer.L, "out of memory: cannot create a Lua VM");
  bool ok = write_folder(&writer, folder, prefix, path, error);
  lua_close(writer.L);
  free(writer.code.items);
  array_free(&writer.memory, &writer.out);
  return ok;
}

static bool begins_with_any(const char *relative, const char *const *prefixes) {
  for (uint32_t i = 0; prefixes[i]; ++i)
    if (strncmp(relative, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return false;
}

// Appends a game's scripts. Skips files that cannot be read or compiled. Returns true on success, or false with an
// error if the folder cannot be listed.
static bool add_game_scripts(writer_t *writer, const char *folder, const char *const *excluded, error_info_t *error) {
  file_list_t list = {0};
  bool ok = file_list(&writer->memory, folder, ".lua", &list, error);
  for (uint32_t i = 0; ok && i < list.count; ++i) {
    uint32_t old_size = writer->out.count;
    uint64_t count = writer->header.count;
    if (!begins_with_any(list.paths[i], excluded) &&
        !write_script(writer, folder, "", list.paths[i], &(error_info_t){0})) {
      writer->out.count = old_size;
      writer->header.count = count;
    }
  }
  file_list_free(&writer->memory, &list);
  return ok;
}

char *code_file_append_game(const char *path, const char *folder, const char *const *excluded, allocator_t *allocator,
                            size_t *bytes, error_info_t *error) {
  char *out = file_read(allocator, path, bytes, error);
  code_file_o *original = out ? code_file_open(path) : NULL;
  if (!original)
    return out;
  writer_t writer = {.L = luaL_newstate()};
  shoal_assert(writer.L && *bytes >= sizeof writer.header, "out of memory: cannot create a Lua VM");
  memcpy(&writer.header, out, sizeof writer.header);
  write_bytes(&writer, out, *bytes);
  bool ok = add_game_scripts(&writer, folder, excluded, error);
  writer.header.hash = hash_bytes(writer.out.items + sizeof writer.header, writer.out.count - sizeof writer.header, 0);
  memcpy(writer.out.items, &writer.header, sizeof writer.header);
  file_free(allocator, out, *bytes);
  *bytes = writer.out.count;
  out = alloc_resize(allocator, NULL, 0, *bytes + 1); // followed by a zero byte, as in file_read
  memcpy(out, writer.out.items, *bytes);
  out[*bytes] = '\0';
  lua_close(writer.L);
  free(writer.code.items);
  array_free(&writer.memory, &writer.out);
  code_file_close(original);
  if (ok)
    return out;
  file_free(allocator, out, *bytes);
  return NULL;
}
