// File format: a header, then for each script an entry, its name and its bytecode.
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

typedef struct head_t {
  char format[48];
  uint64_t hash; // hash of everything after the header
  uint64_t count;
} head_t;

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
  char *own; // bytes read from a file; NULL if they are in the mounted archive
  const char *bytes;
  size_t size;
  ARRAY(file_entry_t) list;
};

// --- reading

static bool read_entry(code_file_o *c, size_t *at) {
  file_entry_t item;
  size_t left = c->size - *at;
  if (left < sizeof item.entry)
    return false;
  memcpy(&item.entry, c->bytes + *at, sizeof item.entry);
  left -= sizeof item.entry;
  size_t name_bytes = item.entry.name_bytes, code_bytes = item.entry.code_bytes;
  if (name_bytes == 0 || name_bytes > left || code_bytes > left - name_bytes)
    return false;
  item.name = c->bytes + *at + sizeof item.entry;
  item.code = (const uint8_t *)item.name + name_bytes;
  *at += sizeof item.entry + name_bytes + code_bytes;
  if (item.name[name_bytes - 1] != '\0')
    return false;
  array_push(&c->memory, &c->list, item);
  return true;
}

static bool read_all_entries(code_file_o *c) {
  head_t head;
  size_t at = sizeof head;
  if (c->size < sizeof head)
    return false;
  memcpy(&head, c->bytes, sizeof head);
  const char format[sizeof head.format] = FORMAT;
  if (memcmp(head.format, format, sizeof format) != 0 || head.hash != hash_bytes(c->bytes + at, c->size - at, 0))
    return false;
  for (uint64_t i = 0; i < head.count; ++i)
    if (!read_entry(c, &at))
      return false;
  return at == c->size;
}

// Finds the bytes of the file. If the mounted archive stores the file uncompressed, the bytes are used in place,
// because copying would touch a megabyte of new pages.
static void load_file_bytes(code_file_o *c, const char *path) {
  const archive_entry_t *entry = archive_find_entry(path);
  if (entry && !entry->deflated) {
    c->bytes = (const char *)entry->packed;
    c->size = entry->bytes;
    return;
  }
  c->own = file_exists(path) ? file_read(&c->memory, path, &c->size, NULL) : NULL;
  c->bytes = c->own;
}

code_file_o *code_file_open(const char *path) {
  shoal_assert(path && path[0], "path must not be empty");
  allocator_t memory = {0};
  code_file_o *c = alloc_resize(&memory, NULL, 0, sizeof *c);
  *c = (code_file_o){.memory = memory};
  load_file_bytes(c, path);
  if (c->bytes && read_all_entries(c))
    return c;
  code_file_close(c);
  return NULL;
}

void code_file_close(code_file_o *c) {
  if (!c)
    return;
  array_free(&c->memory, &c->list);
  file_free(&c->memory, c->own, c->size);
  allocator_t memory = c->memory;
  alloc_resize(&memory, c, sizeof *c, 0);
}

const void *code_file_find_chunk(const code_file_o *c, const char *name, const char *text, size_t bytes,
                                 size_t *code_bytes) {
  for (uint32_t i = 0; i < c->list.count; ++i) {
    const file_entry_t *item = &c->list.items[i];
    if (strcmp(item->name, name) != 0)
      continue;
    *code_bytes = item->entry.code_bytes;
    bool is_of = !text || (item->entry.text_bytes == bytes && item->entry.text_hash == hash_bytes(text, bytes, 0));
    return is_of ? item->code : NULL;
  }
  return NULL;
}

// --- writing

typedef struct writer_t {
  allocator_t memory;
  lua_State *L;
  bytecode_bytes_t code;
  ARRAY(uint8_t) out;
  head_t head;
} writer_t;

static void write_bytes(writer_t *w, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; ++i)
    array_push(&w->memory, &w->out, ((const uint8_t *)bytes)[i]);
}

// Writes the bytecode with sorted table constants, so that equal scripts produce equal bytes.
static bool write_code(writer_t *w, const char *name, error_info_t *error) {
  uint8_t *ordered = alloc_resize(&w->memory, NULL, 0, w->code.count);
  bool ok = bytecode_sort_tables(w->code.items, w->code.count, ordered);
  if (ok)
    write_bytes(w, ordered, w->code.count);
  else
    error_set(error, "cannot compile %s: LuaJIT's bytecode has an unsupported version", name);
  alloc_resize(&w->memory, ordered, w->code.count, 0);
  return ok;
}

// Compiles a script and appends the bytecode. The prefix "@" of a chunk name tells LuaJIT that the rest is a file name.
static bool write_script(writer_t *w, const char *folder, const char *prefix, const char *relative,
                         error_info_t *error) {
  char path[4096], name[1024];
  size_t bytes = 0;
  char *text = file_read(&w->memory, path_join(path, sizeof path, folder, relative), &bytes, error);
  if (!text)
    return false;
  snprintf(name, sizeof name, "@%s%s", prefix, relative);
  bool ok = luaL_loadbufferx(w->L, text, bytes, name, "t") == 0 && bytecode_dump(w->L, &w->code);
  if (ok) {
    entry_t entry = {.text_hash = hash_bytes(text, bytes, 0),
                     .text_bytes = bytes,
                     .name_bytes = (uint32_t)strlen(name + 1) + 1,
                     .code_bytes = (uint32_t)w->code.count};
    write_bytes(w, &entry, sizeof entry);
    write_bytes(w, name + 1, entry.name_bytes);
    ok = write_code(w, name + 1, error);
    w->head.count++;
  } else {
    error_set(error, "%s", lua_tostring(w->L, -1));
  }
  lua_settop(w->L, 0);
  file_free(&w->memory, text, bytes);
  return ok;
}

static bool write_folder(writer_t *w, const char *folder, const char *prefix, const char *path, error_info_t *error) {
  file_list_t list = {0};
  bool ok = file_list(&w->memory, folder, ".lua", &list, error);
  write_bytes(w, &w->head, sizeof w->head);
  for (uint32_t i = 0; ok && i < list.count; ++i)
    ok = write_script(w, folder, prefix, list.paths[i], error);
  file_list_free(&w->memory, &list);
  if (!ok)
    return false;
  snprintf(w->head.format, sizeof w->head.format, "%s", FORMAT);
  w->head.hash = hash_bytes(w->out.items + sizeof w->head, w->out.count - sizeof w->head, 0);
  memcpy(w->out.items, &w->head, sizeof w->head);
  return file_write(path, w->out.items, w->out.count, error);
}

bool code_file_write(const char *folder, const char *prefix, const char *path, error_info_t *error) {
  writer_t w = {.L = luaL_newstate()};
  shoal_assert(w.L, "out of memory: cannot create a Lua VM");
  bool ok = write_folder(&w, folder, prefix, path, error);
  lua_close(w.L);
  free(w.code.items);
  array_free(&w.memory, &w.out);
  return ok;
}

static bool begins_with_any(const char *relative, const char *const *prefixes) {
  for (uint32_t i = 0; prefixes[i]; ++i)
    if (strncmp(relative, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return false;
}

// Appends a game's scripts. Skips files that do not compile.
static bool add_game_scripts(writer_t *w, const char *folder, const char *const *without, error_info_t *error) {
  file_list_t list = {0};
  bool ok = file_list(&w->memory, folder, ".lua", &list, error);
  for (uint32_t i = 0; ok && i < list.count; ++i) {
    uint32_t before = w->out.count;
    uint64_t count = w->head.count;
    if (!begins_with_any(list.paths[i], without) && !write_script(w, folder, "", list.paths[i], &(error_info_t){0})) {
      w->out.count = before;
      w->head.count = count;
    }
  }
  file_list_free(&w->memory, &list);
  return ok;
}

char *code_file_append_game(const char *path, const char *folder, const char *const *without, allocator_t *a,
                            size_t *bytes, error_info_t *error) {
  char *out = file_read(a, path, bytes, error);
  code_file_o *item = out ? code_file_open(path) : NULL;
  if (!item)
    return out;
  writer_t w = {.L = luaL_newstate()};
  shoal_assert(w.L && *bytes >= sizeof w.head, "out of memory: cannot create a Lua VM");
  memcpy(&w.head, out, sizeof w.head);
  write_bytes(&w, out, *bytes);
  bool ok = add_game_scripts(&w, folder, without, error);
  w.head.hash = hash_bytes(w.out.items + sizeof w.head, w.out.count - sizeof w.head, 0);
  memcpy(w.out.items, &w.head, sizeof w.head);
  file_free(a, out, *bytes);
  *bytes = w.out.count;
  out = alloc_resize(a, NULL, 0, *bytes + 1); // followed by a zero byte, as in file_read
  memcpy(out, w.out.items, *bytes);
  out[*bytes] = '\0';
  lua_close(w.L);
  free(w.code.items);
  array_free(&w.memory, &w.out);
  code_file_close(item);
  if (ok)
    return out;
  file_free(a, out, *bytes);
  return NULL;
}
