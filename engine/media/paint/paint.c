// Textures, shaders and meshes of plugins, validated before use.
#include "paint/paint.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/nearest_name.h"
#include "paint/shader_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BITS 12u // number of low bits of an id, which contain index + 1; the high bits contain the generation

// --- life cycle

paint_o *paint_create(void) {
  paint_o *p = alloc_object(sizeof *p);
  return p;
}

void paint_clear(paint_o *p) {
  p->vertices.count = p->meshes.count = p->values.count = 0;
}

static paint_id pack_id(uint32_t number, uint32_t generation) {
  return generation << NUMBER_BITS | (number + 1u);
}

// Returns the index of an id's slot; UINT32_MAX for id 0.
static uint32_t slot_index(paint_id id) {
  return (id & ((1u << NUMBER_BITS) - 1u)) - 1u;
}

// Returns the next generation, which fits into the high bits and is never 0.
static uint32_t next_generation(uint32_t generation) {
  uint32_t next = (generation + 1u) & ((1u << (32u - NUMBER_BITS)) - 1u);
  return next ? next : 1u;
}

static void free_text(paint_o *p, char **text) {
  alloc_free_text(&p->allocator, *text);
  *text = NULL;
}

static void drop_texture(paint_o *p, paint_texture_t *t) {
  size_t bytes = (size_t)t->width * t->height * 4;
  shoal_assert(t->owner && p->texture_bytes >= bytes,
               "the texture has no owner, or its %zu bytes exceed the total of %zu bytes", bytes, p->texture_bytes);
  alloc_resize(&p->allocator, t->pixels, bytes, 0);
  p->texture_bytes -= bytes;
  *t = (paint_texture_t){.generation = next_generation(t->generation)};
}

static void drop_shader(paint_o *p, paint_shader_t *s) {
  shoal_assert(s->owner, "the shader has no owner");
  for (int i = 0; i < PAINT_STAGES; ++i) {
    free_text(p, &s->own[i]);
    free_text(p, &s->text[i]);
  }
  *s = (paint_shader_t){.generation = next_generation(s->generation)};
}

void paint_release_owner(paint_o *p, const void *owner) {
  for (uint32_t i = 0; i < PAINT_MAX_TEXTURES; ++i)
    if (p->textures[i].owner == owner && owner)
      drop_texture(p, &p->textures[i]);
  for (uint32_t i = 0; i < PAINT_MAX_SHADERS; ++i)
    if (p->shaders[i].owner == owner && owner)
      drop_shader(p, &p->shaders[i]);
}

void paint_destroy(paint_o *p) {
  if (!p)
    return;
  for (uint32_t i = 0; i < PAINT_MAX_TEXTURES; ++i)
    if (p->textures[i].owner)
      drop_texture(p, &p->textures[i]);
  for (uint32_t i = 0; i < PAINT_MAX_SHADERS; ++i)
    if (p->shaders[i].owner)
      drop_shader(p, &p->shaders[i]);
  array_free(&p->allocator, &p->vertices);
  array_free(&p->allocator, &p->meshes);
  array_free(&p->allocator, &p->values);
  shoal_assert(p->allocator.bytes == 0, "paint leaked %zu bytes", p->allocator.bytes);
  free(p);
}

// --- textures

const paint_texture_t *paint_find_texture(const paint_o *p, paint_id texture) {
  uint32_t number = slot_index(texture);
  const paint_texture_t *t = number < PAINT_MAX_TEXTURES ? &p->textures[number] : NULL;
  return t && t->owner && pack_id(number, t->generation) == texture ? t : NULL;
}

uint32_t paint_texture_count(const paint_o *p) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < PAINT_MAX_TEXTURES; ++i)
    count += p->textures[i].owner != NULL;
  return count;
}

const paint_texture_t *paint_texture_at(const paint_o *p, uint32_t i) {
  for (uint32_t k = 0; k < PAINT_MAX_TEXTURES; ++k)
    if (p->textures[k].owner && i-- == 0)
      return &p->textures[k];
  return NULL;
}

static paint_texture_t *find_owned_texture(paint_o *p, const void *owner, paint_id texture, error_info_t *error) {
  const paint_texture_t *t = paint_find_texture(p, texture);
  if (t && t->owner == owner)
    return &p->textures[slot_index(texture)];
  error_set(error,
            texture ? "unknown texture %u: the texture never existed, was freed, belongs to another plugin, or was "
                      "created before a reload"
                    : "texture id must not be %u: check the result of shoal_texture_create",
            texture);
  return NULL;
}

static bool check_texture(const paint_o *p, const paint_texture_desc_t *d, error_info_t *error) {
  const char *name = d->name ? d->name : "";
  if (!name[0] || strlen(name) >= PAINT_NAME_MAX)
    return error_set(error, "a texture's name must have 1 to %u bytes, got %zu", PAINT_NAME_MAX - 1, strlen(name));
  if (d->width == 0 || d->height == 0 || d->width > PAINT_MAX_SIDE || d->height > PAINT_MAX_SIDE)
    return error_set(error, "texture %s: width and height must be from 1 to %u texels, got %u × %u", name,
                     PAINT_MAX_SIDE, d->width, d->height);
  size_t bytes = (size_t)d->width * d->height * 4;
  if (p->texture_bytes + bytes > PAINT_MAX_BYTES)
    return error_set(error,
                     "cannot create texture %s of %zu KB: plugins already use %zu of %zu MB: free textures with "
                     "shoal_texture_destroy",
                     name, bytes >> 10, p->texture_bytes >> 20, PAINT_MAX_BYTES >> 20);
  return true;
}

// Copies texels into a region of the texture. Premultiplies their colours, because filtering would otherwise produce
// seams at edges.
static void write_texels(paint_texture_t *t, const paint_part_t *part, const uint8_t *rgba) {
  shoal_assert(part->x + part->width <= t->width && part->y + part->height <= t->height,
               "the region is outside texture %s", t->name);
  for (uint32_t y = 0; y < part->height; ++y) {
    uint8_t *to = t->pixels + ((size_t)(part->y + y) * t->width + part->x) * 4;
    const uint8_t *from = rgba + (size_t)y * part->width * 4;
    for (uint32_t x = 0; x < part->width; ++x, to += 4, from += 4) {
      for (int c = 0; c < 3; ++c)
        to[c] = (uint8_t)((from[c] * from[3] + 127) / 255);
      to[3] = from[3];
    }
  }
  bool unchanged = t->dirty_top >= t->dirty_bottom;
  uint32_t bottom = part->y + part->height;
  t->dirty_top = unchanged || part->y < t->dirty_top ? part->y : t->dirty_top;
  t->dirty_bottom = unchanged || bottom > t->dirty_bottom ? bottom : t->dirty_bottom;
}

paint_id paint_texture_add(paint_o *p, const void *owner, const paint_texture_desc_t *desc, error_info_t *error) {
  shoal_assert(owner, "owner must not be NULL");
  uint32_t number = 0;
  while (number < PAINT_MAX_TEXTURES && p->textures[number].owner)
    ++number;
  if (!check_texture(p, desc, error))
    return 0;
  if (number == PAINT_MAX_TEXTURES) {
    error_set(
        error,
        "cannot create texture %s: too many textures (at most %u for all plugins): free one with shoal_texture_destroy",
        desc->name, PAINT_MAX_TEXTURES);
    return 0;
  }
  paint_texture_t *t = &p->textures[number];
  size_t bytes = (size_t)desc->width * desc->height * 4;
  *t = (paint_texture_t){.owner = owner,
                         .generation = t->generation ? t->generation : 1,
                         .width = desc->width,
                         .height = desc->height,
                         .sharp = desc->sharp,
                         .repeats = desc->repeats};
  snprintf(t->name, sizeof t->name, "%s", desc->name);
  t->pixels = alloc_resize(&p->allocator, NULL, 0, bytes);
  memset(t->pixels, 0, bytes);
  p->texture_bytes += bytes;
  t->dirty_bottom = t->height;
  if (desc->rgba)
    write_texels(t, &(paint_part_t){.width = t->width, .height = t->height}, desc->rgba);
  return pack_id(number, t->generation);
}

bool paint_texture_write(paint_o *p, const void *owner, paint_id texture, const paint_part_t *part, const uint8_t *rgba,
                         error_info_t *error) {
  paint_texture_t *t = find_owned_texture(p, owner, texture, error);
  if (!t)
    return false;
  bool inside = part->x <= t->width && part->width <= t->width - part->x && part->y <= t->height &&
                part->height <= t->height - part->y;
  if (!inside)
    return error_set(error, "the region of %u × %u texels at (%u, %u) must be inside texture %s of %u × %u texels",
                     part->width, part->height, part->x, part->y, t->name, t->width, t->height);
  if (!rgba)
    return error_set(error, "the new texels of texture %s must not be NULL", t->name);
  if (part->width > 0 && part->height > 0)
    write_texels(t, part, rgba);
  return true;
}

bool paint_texture_remove(paint_o *p, const void *owner, paint_id texture, error_info_t *error) {
  paint_texture_t *t = find_owned_texture(p, owner, texture, error);
  if (t)
    drop_texture(p, t);
  return t != NULL;
}

// --- shaders

const paint_shader_t *paint_find_shader(const paint_o *p, paint_id shader) {
  uint32_t number = slot_index(shader);
  const paint_shader_t *s = number < PAINT_MAX_SHADERS ? &p->shaders[number] : NULL;
  return s && s->owner && pack_id(number, s->generation) == shader ? s : NULL;
}

static paint_shader_t *find_owned_shader(paint_o *p, const void *owner, paint_id shader, error_info_t *error) {
  const paint_shader_t *s = paint_find_shader(p, shader);
  if (s && s->owner == owner)
    return &p->shaders[slot_index(shader)];
  error_set(error,
            shader ? "unknown shader %u: the shader never existed, was freed, belongs to another plugin, or was "
                     "created before a reload"
                   : "shader id must not be %u: check the result of shoal_shader_create",
            shader);
  return NULL;
}

static bool is_name(const char *name) {
  static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return name && name[0] && !strchr("0123456789", name[0]) && strlen(name) < PAINT_NAME_MAX &&
         strspn(name, LETTERS) == strlen(name);
}

// Returns true for names that the engine declares in shaders (paint_gl.c), and for GLSL's own names (gl_…).
static bool is_reserved_name(const char *name) {
  static const char *const RESERVED[] = {"image",    "other",   "picture", "time",  "size",   "corner", "to_pixels",
                                         "origin",   "to_clip", "at",      "uv",    "colour", "v_at",   "v_uv",
                                         "v_colour", "result",  "place",   "cover", "below"};
  for (size_t i = 0; i < sizeof RESERVED / sizeof *RESERVED; ++i)
    if (strcmp(RESERVED[i], name) == 0)
      return true;
  return strncmp(name, "gl_", 3) == 0;
}

static bool add_uniforms(paint_shader_t *s, const paint_shader_desc_t *d, error_info_t *error) {
  if (d->uniform_count > PAINT_MAX_UNIFORMS)
    return error_set(error, "shader %s: too many uniforms: %u (at most %u)", d->name, d->uniform_count,
                     PAINT_MAX_UNIFORMS);
  for (uint32_t i = 0; i < d->uniform_count; ++i) {
    paint_uniform_t *u = &s->uniforms[i];
    if (!is_name(d->uniforms[i]) || is_reserved_name(d->uniforms[i]))
      return error_set(error, "shader %s: invalid uniform name “%.60s”%s", d->name,
                       d->uniforms[i] ? d->uniforms[i] : "NULL",
                       is_name(d->uniforms[i]) ? ": reserved names are not allowed: choose another name"
                                               : ": use letters, digits and _");
    if (d->floats[i] == 0 || d->floats[i] > 4)
      return error_set(error, "shader %s: uniform %s must have 1 to 4 floats, got %u", d->name, d->uniforms[i],
                       d->floats[i]);
    for (uint32_t k = 0; k < i; ++k)
      if (strcmp(s->uniforms[k].name, d->uniforms[i]) == 0)
        return error_set(error, "shader %s: two uniforms are named %s: rename one of them", d->name, d->uniforms[i]);
    snprintf(u->name, sizeof u->name, "%s", d->uniforms[i]);
    u->floats = d->floats[i];
  }
  s->uniform_count = d->uniform_count;
  return true;
}

static bool check_source(const char *origin, const char *text, size_t bytes, error_info_t *error) {
  if (strlen(text) != bytes)
    return error_set(error, "%s: the source contains a zero byte: remove it", origin);
  if (strstr(text, "#version"))
    return error_set(error, "%s: unexpected #version (the engine adds this line): remove the line", origin);
  return shader_check(origin, text, bytes, error);
}

static void update_source_version(paint_shader_t *s) {
  s->reads_below = s->text[PAINT_FRAGMENT] && strstr(s->text[PAINT_FRAGMENT], "below");
  ++s->version;
}

// Reads the game's file for a stage into `text`, which the caller frees. Sets `text` to NULL if the game does not
// contain the file; the owner's source is then used. Returns false with an error if the file cannot be read or is
// invalid.
static bool read_stage_source(paint_o *p, const paint_shader_t *s, int stage, char **text, error_info_t *error) {
  char path[1280];
  size_t bytes = 0;
  *text = NULL;
  if (!s->file[stage][0] || !p->assets || !assets_find(p->assets, s->file[stage], path, sizeof path))
    return true;
  char *file = file_read_limited(&p->allocator, path, SHADER_MAX_BYTES, &bytes, error);
  if (!file)
    return false;
  bool ok = check_source(path, file, bytes, error);
  if (ok)
    *text = alloc_copy_text(&p->allocator, file);
  file_free(&p->allocator, file, bytes);
  return ok;
}

// Updates the sources of all stages. Returns false with an error, and changes nothing, if a source is invalid.
static bool read_all_stage_sources(paint_o *p, paint_shader_t *s, error_info_t *error) {
  char *text[PAINT_STAGES] = {0};
  bool ok = true;
  for (int i = 0; i < PAINT_STAGES && ok; ++i)
    ok = read_stage_source(p, s, i, &text[i], error);
  for (int i = 0; i < PAINT_STAGES; ++i) {
    if (!ok) {
      free_text(p, &text[i]);
      continue;
    }
    free_text(p, &s->text[i]);
    snprintf(s->origin[i], sizeof s->origin[i], text[i] ? "assets/%s" : "shader %s", text[i] ? s->file[i] : s->name);
    s->text[i] = text[i] ? text[i] : alloc_copy_text(&p->allocator, s->own[i]);
  }
  if (ok)
    update_source_version(s);
  return ok;
}

static bool init_shader(paint_o *p, paint_shader_t *s, const paint_shader_desc_t *d, error_info_t *error) {
  if (!d->name || !d->name[0] || strlen(d->name) >= PAINT_NAME_MAX)
    return error_set(error, "a shader's name must have 1 to %u bytes, got %zu", PAINT_NAME_MAX - 1,
                     d->name ? strlen(d->name) : (size_t)0);
  snprintf(s->name, sizeof s->name, "%s", d->name);
  if (!d->text[PAINT_FRAGMENT])
    return error_set(error, "shader %s has no fragment source: set .fragment", d->name);
  for (int i = 0; i < PAINT_STAGES; ++i) {
    if (d->file[i] && strlen(d->file[i]) >= PAINT_FILE_MAX)
      return error_set(error, "shader %s: the file name is too long: %zu bytes (at most %u)", d->name,
                       strlen(d->file[i]), PAINT_FILE_MAX - 1);
    snprintf(s->file[i], sizeof s->file[i], "%s", d->file[i] ? d->file[i] : "");
    snprintf(s->origin[i], sizeof s->origin[i], "shader %s", d->name);
    if (d->text[i] && !check_source(s->origin[i], d->text[i], strlen(d->text[i]), error))
      return false;
    s->own[i] = alloc_copy_text(&p->allocator, d->text[i]);
    s->text[i] = alloc_copy_text(&p->allocator, d->text[i]);
  }
  update_source_version(s);
  return add_uniforms(s, d, error);
}

paint_id paint_shader_add(paint_o *p, const void *owner, const paint_shader_desc_t *desc, error_info_t *error) {
  shoal_assert(owner, "owner must not be NULL");
  uint32_t number = 0;
  while (number < PAINT_MAX_SHADERS && p->shaders[number].owner)
    ++number;
  if (number == PAINT_MAX_SHADERS) {
    error_set(
        error,
        "cannot create shader %s: too many shaders (at most %u for all plugins): free one with shoal_shader_destroy",
        desc->name ? desc->name : "", PAINT_MAX_SHADERS);
    return 0;
  }
  paint_shader_t *s = &p->shaders[number];
  *s = (paint_shader_t){.owner = owner, .generation = s->generation ? s->generation : 1};
  if (!init_shader(p, s, desc, error)) {
    drop_shader(p, s);
    return 0;
  }
  p->assets = desc->assets;
  if (s->file[PAINT_FRAGMENT][0] || s->file[PAINT_VERTEX][0])
    read_all_stage_sources(p, s, error);
  return pack_id(number, s->generation);
}

bool paint_shader_remove(paint_o *p, const void *owner, paint_id shader, error_info_t *error) {
  paint_shader_t *s = find_owned_shader(p, owner, shader, error);
  if (s)
    drop_shader(p, s);
  return s != NULL;
}

static bool reject_unknown_uniform(const paint_shader_t *s, const char *name, error_info_t *error) {
  char hint[SIMILAR_MAX + 32];
  nearest_name_t similar;
  nearest_name_init(&similar, name);
  for (uint32_t i = 0; i < s->uniform_count; ++i)
    nearest_name_offer(&similar, s->uniforms[i].name);
  return error_set(error, "shader %s has no uniform %.60s%s", s->name, name,
                   nearest_name_hint(&similar, hint, sizeof hint));
}

bool paint_shader_set(paint_o *p, const void *owner, paint_id shader, const char *uniform, const float *value,
                      uint32_t floats, error_info_t *error) {
  paint_shader_t *s = find_owned_shader(p, owner, shader, error);
  if (!s)
    return false;
  paint_uniform_t *u = NULL;
  for (uint32_t i = 0; uniform && i < s->uniform_count; ++i)
    u = strcmp(s->uniforms[i].name, uniform) == 0 ? &s->uniforms[i] : u;
  if (!u)
    return reject_unknown_uniform(s, uniform ? uniform : "NULL", error);
  if (floats != u->floats || !value)
    return error_set(error, "uniform %s of shader %s must have %u floats, got %u", u->name, s->name, u->floats,
                     value ? floats : 0);
  for (uint32_t i = 0; i < floats; ++i)
    if (!isfinite(value[i]))
      return error_set(error, "float %u for uniform %s of shader %s must be finite, got %g", i + 1, u->name, s->name,
                       (double)value[i]);
  memcpy(u->value, value, floats * sizeof *value);
  return true;
}

asset_fate_t paint_asset_changed(paint_o *p, const char *name, error_info_t *why) {
  bool used = false, ok = true;
  for (uint32_t i = 0; i < PAINT_MAX_SHADERS && ok; ++i) {
    paint_shader_t *s = &p->shaders[i];
    if (!s->owner || (strcmp(s->file[PAINT_FRAGMENT], name) != 0 && strcmp(s->file[PAINT_VERTEX], name) != 0))
      continue;
    used = true;
    ok = read_all_stage_sources(p, s, why);
  }
  return !used ? ASSET_UNUSED : ok ? ASSET_RELOADED : ASSET_KEPT;
}

// --- meshes

static bool check_vertices(const paint_mesh_desc_t *d, error_info_t *error) {
  if (d->count % 3 != 0)
    return error_set(error, "the vertex count must be a multiple of 3, got %u", d->count);
  if (!d->vertices)
    return error_set(error, "`vertices` must not be NULL (count %u)", d->count);
  for (uint32_t i = 0; i < d->count; ++i) {
    const float *x = &d->vertices[i].x;
    for (uint32_t k = 0; k < sizeof(paint_vertex_t) / sizeof(float); ++k)
      if (!isfinite(x[k]))
        return error_set(error, "all numbers of vertex %u (count %u) must be finite", i, d->count);
  }
  return true;
}

static bool check_mesh_resources(paint_o *p, const void *owner, const paint_mesh_desc_t *d, error_info_t *error) {
  return (!d->image || find_owned_texture(p, owner, d->image, error)) &&
         (!d->second_image || find_owned_texture(p, owner, d->second_image, error)) &&
         (!d->shader || find_owned_shader(p, owner, d->shader, error));
}

uint32_t paint_mesh_add(paint_o *p, const void *owner, const paint_mesh_desc_t *desc, error_info_t *error) {
  paint_mesh_t m = {.first = p->vertices.count,
                    .count = desc->count,
                    .image = desc->image,
                    .second_image = desc->second_image,
                    .shader = desc->shader,
                    .values = p->values.count,
                    .add = desc->add};
  if (!check_mesh_resources(p, owner, desc, error) || (desc->count > 0 && !check_vertices(desc, error)))
    return UINT32_MAX;
  if (desc->count > PAINT_MAX_VERTICES - p->vertices.count) {
    error_set(error, "cannot draw %u more vertices (at most %u per frame)", desc->count, PAINT_MAX_VERTICES);
    return UINT32_MAX;
  }
  if (p->meshes.count == PAINT_MAX_MESHES) {
    error_set(error, "too many meshes (at most %u per frame): draw more triangles per call", PAINT_MAX_MESHES);
    return UINT32_MAX;
  }
  const paint_shader_t *s = paint_find_shader(p, desc->shader);
  for (uint32_t i = 0; s && i < s->uniform_count; ++i)
    for (int k = 0; k < 4; ++k)
      array_push(&p->allocator, &p->values, s->uniforms[i].value[k]);
  array_reserve(&p->allocator, &p->vertices, p->vertices.count + desc->count);
  if (desc->count > 0)
    memcpy(p->vertices.items + p->vertices.count, desc->vertices, desc->count * sizeof *desc->vertices);
  p->vertices.count += desc->count;
  array_push(&p->allocator, &p->meshes, m);
  shoal_assert(p->meshes.items[p->meshes.count - 1].first + desc->count == p->vertices.count,
               "mesh vertices must be contiguous");
  return p->meshes.count - 1;
}
