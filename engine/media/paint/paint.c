// Validates and stores textures, shaders and meshes of plugins.
#include "paint/paint.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/nearest_name.h"
#include "paint/shader_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_BITS 12u // number of low bits of an id, which contain index + 1; the high bits contain the generation

// --- life cycle

paint_o *paint_create(void) {
  paint_o *p = alloc_object(sizeof *p);
  return p;
}

void paint_clear(paint_o *p) {
  p->vertices.count = p->meshes.count = p->values.count = 0;
}

static paint_id pack_id(uint32_t index, uint32_t generation) {
  return generation << INDEX_BITS | (index + 1u);
}

// Returns the index of an id's slot, or UINT32_MAX for id 0.
static uint32_t slot_index(paint_id id) {
  return (id & ((1u << INDEX_BITS) - 1u)) - 1u;
}

// Returns the next generation, which fits into the high bits and is never 0.
static uint32_t next_generation(uint32_t generation) {
  uint32_t next = (generation + 1u) & ((1u << (32u - INDEX_BITS)) - 1u);
  return next ? next : 1u;
}

static void free_text(paint_o *p, char **text) {
  alloc_free_text(&p->allocator, *text);
  *text = NULL;
}

static void drop_texture(paint_o *p, paint_texture_t *texture) {
  size_t bytes = (size_t)texture->width * texture->height * 4;
  shoal_assert(texture->owner && p->texture_bytes >= bytes,
               "the texture has no owner, or its %zu bytes exceed the total of %zu bytes", bytes, p->texture_bytes);
  alloc_resize(&p->allocator, texture->pixels, bytes, 0);
  p->texture_bytes -= bytes;
  *texture = (paint_texture_t){.generation = next_generation(texture->generation)};
}

static void drop_shader(paint_o *p, paint_shader_t *shader) {
  shoal_assert(shader->owner, "the shader has no owner");
  for (int i = 0; i < PAINT_STAGES; ++i) {
    free_text(p, &shader->owner_text[i]);
    free_text(p, &shader->text[i]);
  }
  *shader = (paint_shader_t){.generation = next_generation(shader->generation)};
}

void paint_release_owner(paint_o *p, const void *owner) {
  for (uint32_t i = 0; i < PAINT_MAX_TEXTURES; ++i)
    if (p->textures[i].owner == owner && owner)
      drop_texture(p, &p->textures[i]);
  for (uint32_t i = 0; i < PAINT_MAX_SHADERS; ++i)
    if (p->shaders[i].owner == owner && owner)
      drop_shader(p, &p->shaders[i]);
}

void paint_destroy(paint_o *paint) {
  if (!paint)
    return;
  for (uint32_t i = 0; i < PAINT_MAX_TEXTURES; ++i)
    if (paint->textures[i].owner)
      drop_texture(paint, &paint->textures[i]);
  for (uint32_t i = 0; i < PAINT_MAX_SHADERS; ++i)
    if (paint->shaders[i].owner)
      drop_shader(paint, &paint->shaders[i]);
  array_free(&paint->allocator, &paint->vertices);
  array_free(&paint->allocator, &paint->meshes);
  array_free(&paint->allocator, &paint->values);
  shoal_assert(paint->allocator.bytes == 0, "paint leaked %zu bytes", paint->allocator.bytes);
  free(paint);
}

// --- textures

const paint_texture_t *paint_find_texture(const paint_o *p, paint_id texture) {
  uint32_t index = slot_index(texture);
  const paint_texture_t *candidate = index < PAINT_MAX_TEXTURES ? &p->textures[index] : NULL;
  return candidate && candidate->owner && pack_id(index, candidate->generation) == texture ? candidate : NULL;
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

static paint_texture_t *find_owned_texture(paint_o *paint, const void *owner, paint_id texture, error_info_t *error) {
  const paint_texture_t *candidate = paint_find_texture(paint, texture);
  if (candidate && candidate->owner == owner)
    return &paint->textures[slot_index(texture)];
  error_set(error,
            texture ? "unknown texture %u: the texture never existed, was freed, belongs to a different plugin, or was "
                      "created before a reload"
                    : "texture id must not be %u: check the result of shoal_texture_create",
            texture);
  return NULL;
}

static bool check_texture(const paint_o *paint, const paint_texture_desc_t *desc, error_info_t *error) {
  const char *name = desc->name ? desc->name : "";
  if (!name[0] || strlen(name) >= PAINT_NAME_MAX)
    return error_set(error, "a texture's name must have 1 to %u bytes, got %zu", PAINT_NAME_MAX - 1, strlen(name));
  if (desc->width == 0 || desc->height == 0 || desc->width > PAINT_MAX_SIDE || desc->height > PAINT_MAX_SIDE)
    return error_set(error, "texture %s: width and height must be from 1 to %u texels, got %u × %u", name,
                     PAINT_MAX_SIDE, desc->width, desc->height);
  size_t bytes = (size_t)desc->width * desc->height * 4;
  if (paint->texture_bytes + bytes > PAINT_MAX_BYTES)
    return error_set(error,
                     "cannot create texture %s of %zu KB: plugins already use %zu of %zu MB: free textures with "
                     "shoal_texture_destroy",
                     name, bytes >> 10, paint->texture_bytes >> 20, PAINT_MAX_BYTES >> 20);
  return true;
}

// Copies texels into a region of the texture. Premultiplies their colours, because filtering would otherwise produce
// seams at edges.
static void write_texels(paint_texture_t *texture, const paint_region_t *region, const uint8_t *rgba) {
  shoal_assert(region->x + region->width <= texture->width && region->y + region->height <= texture->height,
               "the region is outside texture %s", texture->name);
  for (uint32_t y = 0; y < region->height; ++y) {
    uint8_t *target = texture->pixels + ((size_t)(region->y + y) * texture->width + region->x) * 4;
    const uint8_t *source = rgba + (size_t)y * region->width * 4;
    for (uint32_t x = 0; x < region->width; ++x, target += 4, source += 4) {
      for (int channel = 0; channel < 3; ++channel)
        target[channel] = (uint8_t)((source[channel] * source[3] + 127) / 255);
      target[3] = source[3];
    }
  }
  bool unchanged = texture->dirty_top >= texture->dirty_bottom;
  uint32_t bottom = region->y + region->height;
  texture->dirty_top = unchanged || region->y < texture->dirty_top ? region->y : texture->dirty_top;
  texture->dirty_bottom = unchanged || bottom > texture->dirty_bottom ? bottom : texture->dirty_bottom;
}

paint_id paint_texture_add(paint_o *paint, const void *owner, const paint_texture_desc_t *desc, error_info_t *error) {
  shoal_assert(owner, "owner must not be NULL");
  uint32_t index = 0;
  while (index < PAINT_MAX_TEXTURES && paint->textures[index].owner)
    ++index;
  if (!check_texture(paint, desc, error))
    return 0;
  if (index == PAINT_MAX_TEXTURES) {
    error_set(
        error,
        "cannot create texture %s: too many textures (at most %u for all plugins): free one with shoal_texture_destroy",
        desc->name, PAINT_MAX_TEXTURES);
    return 0;
  }
  paint_texture_t *texture = &paint->textures[index];
  size_t bytes = (size_t)desc->width * desc->height * 4;
  *texture = (paint_texture_t){.owner = owner,
                               .generation = texture->generation ? texture->generation : 1,
                               .width = desc->width,
                               .height = desc->height,
                               .sharp = desc->sharp,
                               .repeats = desc->repeats};
  snprintf(texture->name, sizeof texture->name, "%s", desc->name);
  texture->pixels = alloc_resize(&paint->allocator, NULL, 0, bytes);
  memset(texture->pixels, 0, bytes);
  paint->texture_bytes += bytes;
  texture->dirty_bottom = texture->height;
  if (desc->rgba)
    write_texels(texture, &(paint_region_t){.width = texture->width, .height = texture->height}, desc->rgba);
  return pack_id(index, texture->generation);
}

bool paint_texture_write(paint_o *paint, const void *owner, paint_id texture, const paint_region_t *region,
                         const uint8_t *rgba, error_info_t *error) {
  paint_texture_t *target = find_owned_texture(paint, owner, texture, error);
  if (!target)
    return false;
  bool inside = region->x <= target->width && region->width <= target->width - region->x &&
                region->y <= target->height && region->height <= target->height - region->y;
  if (!inside)
    return error_set(error, "the region of %u × %u texels at (%u, %u) must be inside texture %s of %u × %u texels",
                     region->width, region->height, region->x, region->y, target->name, target->width, target->height);
  if (!rgba)
    return error_set(error, "the new texels of texture %s must not be NULL", target->name);
  if (region->width > 0 && region->height > 0)
    write_texels(target, region, rgba);
  return true;
}

bool paint_texture_remove(paint_o *p, const void *owner, paint_id texture, error_info_t *error) {
  paint_texture_t *target = find_owned_texture(p, owner, texture, error);
  if (target)
    drop_texture(p, target);
  return target != NULL;
}

// --- shaders

const paint_shader_t *paint_find_shader(const paint_o *p, paint_id shader) {
  uint32_t index = slot_index(shader);
  const paint_shader_t *candidate = index < PAINT_MAX_SHADERS ? &p->shaders[index] : NULL;
  return candidate && candidate->owner && pack_id(index, candidate->generation) == shader ? candidate : NULL;
}

static paint_shader_t *find_owned_shader(paint_o *paint, const void *owner, paint_id shader, error_info_t *error) {
  const paint_shader_t *candidate = paint_find_shader(paint, shader);
  if (candidate && candidate->owner == owner)
    return &paint->shaders[slot_index(shader)];
  error_set(error,
            shader ? "unknown shader %u: the shader never existed, was freed, belongs to a different plugin, or was "
                     "created before a reload"
                   : "shader id must not be %u: check the result of shoal_shader_create",
            shader);
  return NULL;
}

static bool is_identifier(const char *name) {
  static const char IDENTIFIER_CHARACTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return name && name[0] && !strchr("0123456789", name[0]) && strlen(name) < PAINT_NAME_MAX &&
         strspn(name, IDENTIFIER_CHARACTERS) == strlen(name);
}

// Returns true for names that the engine declares in shaders (paint_gl.c), and for GLSL's own names (gl_…).
static bool is_reserved_name(const char *name) {
  static const char *const RESERVED_NAMES[] = {
      "image", "other",  "picture", "time", "size",     "corner", "to_pixels", "origin", "to_clip", "at",
      "uv",    "colour", "v_at",    "v_uv", "v_colour", "result", "place",     "cover",  "below"};
  for (size_t i = 0; i < sizeof RESERVED_NAMES / sizeof *RESERVED_NAMES; ++i)
    if (strcmp(RESERVED_NAMES[i], name) == 0)
      return true;
  return strncmp(name, "gl_", 3) == 0;
}

static bool add_uniforms(paint_shader_t *shader, const paint_shader_desc_t *desc, error_info_t *error) {
  if (desc->uniform_count > PAINT_MAX_UNIFORMS)
    return error_set(error, "shader %s: too many uniforms: %u (at most %u)", desc->name, desc->uniform_count,
                     PAINT_MAX_UNIFORMS);
  for (uint32_t i = 0; i < desc->uniform_count; ++i) {
    paint_uniform_t *uniform = &shader->uniforms[i];
    if (!is_identifier(desc->uniforms[i]) || is_reserved_name(desc->uniforms[i]))
      return error_set(error, "shader %s: invalid uniform name “%.60s”%s", desc->name,
                       desc->uniforms[i] ? desc->uniforms[i] : "NULL",
                       is_identifier(desc->uniforms[i]) ? ": reserved names are not allowed: choose a different name"
                                                        : ": use letters, digits and _");
    if (desc->floats[i] == 0 || desc->floats[i] > 4)
      return error_set(error, "shader %s: uniform %s must have 1 to 4 floats, got %u", desc->name, desc->uniforms[i],
                       desc->floats[i]);
    for (uint32_t k = 0; k < i; ++k)
      if (strcmp(shader->uniforms[k].name, desc->uniforms[i]) == 0)
        return error_set(error, "shader %s: two uniforms are named %s: rename one of them", desc->name,
                         desc->uniforms[i]);
    snprintf(uniform->name, sizeof uniform->name, "%s", desc->uniforms[i]);
    uniform->floats = desc->floats[i];
  }
  shader->uniform_count = desc->uniform_count;
  return true;
}

static bool check_source(const char *origin, const char *text, size_t bytes, error_info_t *error) {
  if (strlen(text) != bytes)
    return error_set(error, "%s: the source contains a zero byte: remove it", origin);
  if (strstr(text, "#version"))
    return error_set(error, "%s: unexpected #version (the engine adds this line): remove the line", origin);
  return shader_check(origin, text, bytes, error);
}

static void update_source_version(paint_shader_t *shader) {
  shader->reads_below = shader->text[PAINT_FRAGMENT] && strstr(shader->text[PAINT_FRAGMENT], "below");
  ++shader->version;
}

// Reads the game's file for a stage into `text`, which the caller frees. Sets `text` to NULL if the game does not
// contain the file. The owner's source is then used. Returns true on success, or false with an error if the file cannot
// be read or is invalid.
static bool read_stage_source(paint_o *paint, const paint_shader_t *shader, int stage, char **text,
                              error_info_t *error) {
  char path[1280];
  size_t bytes = 0;
  *text = NULL;
  if (!shader->file[stage][0] || !paint->assets || !assets_find(paint->assets, shader->file[stage], path, sizeof path))
    return true;
  char *file = file_read_limited(&paint->allocator, path, SHADER_MAX_BYTES, &bytes, error);
  if (!file)
    return false;
  bool ok = check_source(path, file, bytes, error);
  if (ok)
    *text = alloc_copy_text(&paint->allocator, file);
  file_free(&paint->allocator, file, bytes);
  return ok;
}

// Updates the sources of all stages. Returns true on success. If a source is invalid, changes nothing and returns false
// with an error.
static bool read_all_stage_sources(paint_o *paint, paint_shader_t *shader, error_info_t *error) {
  char *text[PAINT_STAGES] = {0};
  bool ok = true;
  for (int i = 0; i < PAINT_STAGES && ok; ++i)
    ok = read_stage_source(paint, shader, i, &text[i], error);
  for (int i = 0; i < PAINT_STAGES; ++i) {
    if (!ok) {
      free_text(paint, &text[i]);
      continue;
    }
    free_text(paint, &shader->text[i]);
    snprintf(shader->origin[i], sizeof shader->origin[i], text[i] ? "assets/%s" : "shader %s",
             text[i] ? shader->file[i] : shader->name);
    shader->text[i] = text[i] ? text[i] : alloc_copy_text(&paint->allocator, shader->owner_text[i]);
  }
  if (ok)
    update_source_version(shader);
  return ok;
}

static bool init_shader(paint_o *paint, paint_shader_t *shader, const paint_shader_desc_t *desc, error_info_t *error) {
  if (!desc->name || !desc->name[0] || strlen(desc->name) >= PAINT_NAME_MAX)
    return error_set(error, "a shader's name must have 1 to %u bytes, got %zu", PAINT_NAME_MAX - 1,
                     desc->name ? strlen(desc->name) : (size_t)0);
  snprintf(shader->name, sizeof shader->name, "%s", desc->name);
  if (!desc->text[PAINT_FRAGMENT])
    return error_set(error, "shader %s has no fragment source: set .fragment", desc->name);
  for (int i = 0; i < PAINT_STAGES; ++i) {
    if (desc->file[i] && strlen(desc->file[i]) >= PAINT_FILE_MAX)
      return error_set(error, "shader %s: the file name is too long: %zu bytes (at most %u)", desc->name,
                       strlen(desc->file[i]), PAINT_FILE_MAX - 1);
    snprintf(shader->file[i], sizeof shader->file[i], "%s", desc->file[i] ? desc->file[i] : "");
    snprintf(shader->origin[i], sizeof shader->origin[i], "shader %s", desc->name);
    if (desc->text[i] && !check_source(shader->origin[i], desc->text[i], strlen(desc->text[i]), error))
      return false;
    shader->owner_text[i] = alloc_copy_text(&paint->allocator, desc->text[i]);
    shader->text[i] = alloc_copy_text(&paint->allocator, desc->text[i]);
  }
  update_source_version(shader);
  return add_uniforms(shader, desc, error);
}

paint_id paint_shader_add(paint_o *paint, const void *owner, const paint_shader_desc_t *desc, error_info_t *error) {
  shoal_assert(owner, "owner must not be NULL");
  uint32_t index = 0;
  while (index < PAINT_MAX_SHADERS && paint->shaders[index].owner)
    ++index;
  if (index == PAINT_MAX_SHADERS) {
    error_set(
        error,
        "cannot create shader %s: too many shaders (at most %u for all plugins): free one with shoal_shader_destroy",
        desc->name ? desc->name : "", PAINT_MAX_SHADERS);
    return 0;
  }
  paint_shader_t *shader = &paint->shaders[index];
  *shader = (paint_shader_t){.owner = owner, .generation = shader->generation ? shader->generation : 1};
  if (!init_shader(paint, shader, desc, error)) {
    drop_shader(paint, shader);
    return 0;
  }
  paint->assets = desc->assets;
  if (shader->file[PAINT_FRAGMENT][0] || shader->file[PAINT_VERTEX][0])
    read_all_stage_sources(paint, shader, error);
  return pack_id(index, shader->generation);
}

bool paint_shader_remove(paint_o *p, const void *owner, paint_id shader, error_info_t *error) {
  paint_shader_t *target = find_owned_shader(p, owner, shader, error);
  if (target)
    drop_shader(p, target);
  return target != NULL;
}

static bool reject_unknown_uniform(const paint_shader_t *shader, const char *name, error_info_t *error) {
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < shader->uniform_count; ++i)
    nearest_name_offer(&nearest, shader->uniforms[i].name);
  return error_set(error, "shader %s has no uniform %.60s%s", shader->name, name,
                   nearest_name_hint(&nearest, hint, sizeof hint));
}

bool paint_shader_set(paint_o *paint, const void *owner, paint_id shader, const char *uniform, const float *value,
                      uint32_t floats, error_info_t *error) {
  paint_shader_t *target = find_owned_shader(paint, owner, shader, error);
  if (!target)
    return false;
  paint_uniform_t *match = NULL;
  for (uint32_t i = 0; uniform && i < target->uniform_count; ++i)
    match = strcmp(target->uniforms[i].name, uniform) == 0 ? &target->uniforms[i] : match;
  if (!match)
    return reject_unknown_uniform(target, uniform ? uniform : "NULL", error);
  if (floats != match->floats || !value)
    return error_set(error, "uniform %s of shader %s must have %u floats, got %u", match->name, target->name,
                     match->floats, value ? floats : 0);
  for (uint32_t i = 0; i < floats; ++i)
    if (!isfinite(value[i]))
      return error_set(error, "float %u for uniform %s of shader %s must be finite, got %g", i + 1, match->name,
                       target->name, (double)value[i]);
  memcpy(match->value, value, floats * sizeof *value);
  return true;
}

asset_fate_t paint_asset_changed(paint_o *paint, const char *name, error_info_t *error) {
  bool found = false, ok = true;
  for (uint32_t i = 0; i < PAINT_MAX_SHADERS && ok; ++i) {
    paint_shader_t *shader = &paint->shaders[i];
    if (!shader->owner ||
        (strcmp(shader->file[PAINT_FRAGMENT], name) != 0 && strcmp(shader->file[PAINT_VERTEX], name) != 0))
      continue;
    found = true;
    ok = read_all_stage_sources(paint, shader, error);
  }
  return !found ? ASSET_UNUSED : ok ? ASSET_RELOADED : ASSET_KEPT;
}

// --- meshes

static bool check_vertices(const paint_mesh_desc_t *desc, error_info_t *error) {
  if (desc->count % 3 != 0)
    return error_set(error, "the vertex count must be a multiple of 3, got %u", desc->count);
  if (!desc->vertices)
    return error_set(error, "`vertices` must not be NULL (count %u)", desc->count);
  for (uint32_t i = 0; i < desc->count; ++i) {
    const float *values = &desc->vertices[i].x;
    for (uint32_t k = 0; k < sizeof(paint_vertex_t) / sizeof(float); ++k)
      if (!isfinite(values[k]))
        return error_set(error, "all numbers of vertex %u (count %u) must be finite", i, desc->count);
  }
  return true;
}

static bool check_mesh_resources(paint_o *p, const void *owner, const paint_mesh_desc_t *desc, error_info_t *error) {
  return (!desc->image || find_owned_texture(p, owner, desc->image, error)) &&
         (!desc->second_image || find_owned_texture(p, owner, desc->second_image, error)) &&
         (!desc->shader || find_owned_shader(p, owner, desc->shader, error));
}

uint32_t paint_mesh_add(paint_o *paint, const void *owner, const paint_mesh_desc_t *desc, error_info_t *error) {
  paint_mesh_t mesh = {.first = paint->vertices.count,
                       .count = desc->count,
                       .image = desc->image,
                       .second_image = desc->second_image,
                       .shader = desc->shader,
                       .values = paint->values.count,
                       .add = desc->add};
  if (!check_mesh_resources(paint, owner, desc, error) || (desc->count > 0 && !check_vertices(desc, error)))
    return UINT32_MAX;
  if (desc->count > PAINT_MAX_VERTICES - paint->vertices.count) {
    error_set(error, "cannot draw %u more vertices (at most %u per frame)", desc->count, PAINT_MAX_VERTICES);
    return UINT32_MAX;
  }
  if (paint->meshes.count == PAINT_MAX_MESHES) {
    error_set(error, "too many meshes (at most %u per frame): draw more triangles per call", PAINT_MAX_MESHES);
    return UINT32_MAX;
  }
  const paint_shader_t *shader = paint_find_shader(paint, desc->shader);
  for (uint32_t i = 0; shader && i < shader->uniform_count; ++i)
    for (int k = 0; k < 4; ++k)
      array_push(&paint->allocator, &paint->values, shader->uniforms[i].value[k]);
  array_reserve(&paint->allocator, &paint->vertices, paint->vertices.count + desc->count);
  if (desc->count > 0)
    memcpy(paint->vertices.items + paint->vertices.count, desc->vertices, desc->count * sizeof *desc->vertices);
  paint->vertices.count += desc->count;
  array_push(&paint->allocator, &paint->meshes, mesh);
  shoal_assert(paint->meshes.items[paint->meshes.count - 1].first + desc->count == paint->vertices.count,
               "mesh vertices must be contiguous");
  return paint->meshes.count - 1;
}
